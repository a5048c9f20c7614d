import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { sqliteStore } from '../../../store-sqlite/src/sqlite-store.ts'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { expectSales, expectSalesAtRest } from '../../../testing/src/simulation/expect-sales.ts'
import { interleaved } from '../../../testing/src/simulation/interleaved.ts'
import { type Random, seededRandom } from '../../../testing/src/simulation/random.ts'
import type { DomainError } from '../../src/errors/domain-error.ts'
import type { Result } from '../../src/kernel/result.ts'
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
  /** Comes late by a seeded while, so that whoever has fewer calls to make does not always win. */
  late(): Promise<void>
}

/** One store a sandbox is opened on, and another way to its rows where it has one, as a second process would. */
interface Opened {
  late(random: Random): Promise<void>
  store: Store
  again: Store
  close(): Promise<void>
}

const stores: [name: string, runs: number, open: () => Opened][] = [
  ['memory', 100, () => shared(memoryStore())],
  ['SQLite in memory', 100, () => shared(sqliteStore({ filename: ':memory:' }), byTicks)],
  ['a SQLite file, opened twice', 25, openFile],
]

/**
 * Runs a race under many seeds on every store. It must come out as one of `ends`, and in memory as each of them
 * under some seed: otherwise nothing raced. What must hold after every step holds at its end and at rest.
 */
export function describeRace(
  name: string,
  ends: readonly string[],
  run: (race: SalesRace) => Promise<string>,
): void {
  describe(name, () => {
    it.each(stores)('on %s, %i times', async (store, runs, open) => {
      const seen = new Set<string>()
      for (let seed = 1; seed <= runs; seed += 1) {
        const opened = open()
        try {
          seen.add(await raceOnce(opened, { seed, run }))
        } catch (cause) {
          throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : cause}`, { cause })
        } finally {
          await opened.close()
        }
      }
      expect(ends).toEqual(expect.arrayContaining([...seen]))
      if (store === 'memory') expect([...seen].sort()).toEqual([...ends].sort())
    })
  })
}

/** How a request came out: `ok`, or the code it was refused with. */
export function codeOf(result: Result<unknown, DomainError>): string {
  return result.isOk() ? 'ok' : result.error.code
}

async function raceOnce(
  { store, again, late }: Opened,
  { seed, run }: { seed: number; run: (race: SalesRace) => Promise<string> },
): Promise<string> {
  const random = seededRandom(seed)
  const sandbox = await openSandbox({ seed, store })
  const process = (rows: Store, through: Processor) => {
    const ports = interleaved({ store: rows, processor: through }, random)
    return sandbox.another({ ...withProcessor(sandbox, ports.processor), store: ports.store })
  }
  const { processor } = sandbox
  const end = await run({
    sandbox,
    first: process(store, processor),
    second: process(again, processor),
    over: (other) => process(again, other),
    random,
    late: () => late(random),
  })
  await expectSales(sandbox, 'after the race')
  await expectSalesAtRest(sandbox, 'at rest')
  return end
}

function shared(store: Store, late = byTurns): Opened {
  return { store, again: store, late, close: () => store.close() }
}

function openFile(): Opened {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-race-'))
  const filename = join(folder, 'rows.db')
  const [store, again] = [sqliteStore({ filename }), sqliteStore({ filename })]
  return {
    store,
    again,
    late: byTicks,
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
