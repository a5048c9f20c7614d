import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { sqliteStore } from '../../../store-sqlite/src/sqlite-store.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { expectSales, expectSalesAtRest } from '../../../testing/src/simulation/expect-sales.ts'
import { interleaved } from '../../../testing/src/simulation/interleaved.ts'
import { type Random, seededRandom } from '../../../testing/src/simulation/random.ts'
import { memoryStore } from '../../src/memory-store/memory-store.ts'
import type { Processor } from '../../src/ports/processor.ts'
import type { Store } from '../../src/ports/store.ts'

export interface SalesRace {
  /** Where things are prepared and time is moved: no call of it is held up. */
  sandbox: Sandbox
  /** Engines on the same rows and processor, every call of which waits a seeded number of turns. */
  first: Sandbox
  second: Sandbox
  /** The same, over another processor. */
  over(processor: Processor): Sandbox
  random: Random
}

/** One store a sandbox is opened on, and another way to its rows where it has one, as a second process would. */
interface Opened {
  store: Store
  again: Store
  close(): Promise<void>
}

const stores: [name: string, runs: number, open: () => Opened][] = [
  ['memory', 100, () => shared(memoryStore())],
  ['SQLite in memory', 100, () => shared(sqliteStore({ filename: ':memory:' }))],
  ['a SQLite file, opened twice', 25, openFile],
]

/** Runs a race under many seeds on every store. What must hold after every step holds at its end and at rest. */
export function describeRace(name: string, run: (race: SalesRace) => Promise<void>): void {
  describe(name, () => {
    it.each(stores)('on %s, %i times', async (_, runs, open) => {
      for (let seed = 1; seed <= runs; seed += 1) {
        const opened = open()
        try {
          await raceOnce(opened, { seed, run })
        } catch (cause) {
          throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : cause}`, { cause })
        } finally {
          await opened.close()
        }
      }
    })
  })
}

async function raceOnce(
  { store, again }: Opened,
  { seed, run }: { seed: number; run: (race: SalesRace) => Promise<void> },
): Promise<void> {
  const random = seededRandom(seed)
  const sandbox = await openSandbox({ seed, store })
  const process = (rows: Store, through: Processor) => {
    const ports = interleaved({ store: rows, processor: through }, random)
    return sandbox.another({ ...withProcessor(sandbox, ports.processor), store: ports.store })
  }
  const { processor } = sandbox
  await run({
    sandbox,
    first: process(store, processor),
    second: process(again, processor),
    over: (other) => process(again, other),
    random,
  })
  await expectSales(sandbox, 'after the race')
  await expectSalesAtRest(sandbox, 'at rest')
}

function shared(store: Store): Opened {
  return { store, again: store, close: () => store.close() }
}

function openFile(): Opened {
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
