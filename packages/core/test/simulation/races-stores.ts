import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { sqliteStore } from '../../../store-sqlite/src/sqlite-store.ts'
import type { RaceRows, RaceStore } from '../../../testing/src/simulation/race.ts'
import type { Random } from '../../../testing/src/simulation/random.ts'
import { memoryStore } from '../../src/memory-store/memory-store.ts'
import type { Store } from '../../src/ports/store.ts'

/** Rounds of each race on each store: a hundred with every change, a thousand by `RACE_ROUNDS=1000`. */
const rounds = Number(process.env.RACE_ROUNDS ?? 100)
if (!(Number.isInteger(rounds) && rounds > 0)) throw new TypeError('RACE_ROUNDS is a whole number above 0.')

/** Fewer rounds need not see every end. */
const sees_every_end = rounds >= 100

export const in_memory: RaceStore = {
  name: 'memory',
  ...{ rounds, sees_every_end },
  open: () => shared(memoryStore()),
  late: byTurns,
}

export const on_sqlite: RaceStore = {
  name: 'SQLite in memory',
  ...{ rounds, sees_every_end },
  open: () => shared(sqliteStore({ filename: ':memory:' })),
  late: byTicks,
}

/** Two connections, as two processes would have. Each round waits for the disk, so there are fewer. */
export const on_sqlite_file: RaceStore = {
  name: 'a SQLite file, opened twice',
  rounds: Math.ceil(rounds / 20),
  sees_every_end: false,
  open: openFile,
  late: byTicks,
}

function shared(store: Store): RaceRows {
  return { store, again: store, close: () => store.close() }
}

function openFile(): RaceRows {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-race-'))
  const filename = join(folder, 'rows.db')
  const [store, again] = [sqliteStore({ filename }), sqliteStore({ filename })]
  return {
    store,
    again,
    async close() {
      await store.close()
      await again.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** In memory everything happens in turns of one tick. */
async function byTurns(random: Random): Promise<void> {
  for (let turn = random.below(250); turn > 0; turn -= 1) await Promise.resolve()
}

async function byTicks(random: Random): Promise<void> {
  for (let tick = random.below(8); tick > 0; tick -= 1) await setImmediate()
}
