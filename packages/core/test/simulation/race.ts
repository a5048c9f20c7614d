import { describe, expect, it } from 'vitest'
import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { expectInvariants, expectQuiet } from '../../../testing/src/invariants/expect-invariants.ts'
import { interleaved } from '../../../testing/src/ports/interleaved.ts'
import { type Random, seededRandom } from '../../../testing/src/random.ts'
import type { Processor } from '../../src/ports/processor.ts'
import type { Store } from '../../src/ports/store.ts'

export interface RaceRound {
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

/** One way in which requests, timers and processes get in each other's way. */
export interface Race {
  /** Its number among the races (R1 to R24) or the invariants; several races may share one. */
  id: `R${number}` | `M${number}`
  sentence: string
  /** Every way in which a round may come out. */
  ends: readonly string[]
  /** Runs one round, expects what must hold, and answers how it came out. */
  round(round: RaceRound): Promise<string>
}

/** Rows of one round, and another way to them where there is one, as a second process would have. */
export interface RaceRows {
  store: Store
  again: Store
  close(): Promise<void>
}

export interface RaceStore {
  name: string
  rounds: number
  open(): Promise<RaceRows>
  late(random: Random): Promise<void>
  /** The rounds are enough, and come out alike each time, to ask for every end: otherwise nothing raced. */
  sees_every_end: boolean
}

/**
 * Runs each race once per seed, on rows of its own. Whatever the seed it comes out as one of its ends, and what
 * must hold after every step holds at its end and at rest.
 */
export function describeRaces(races: readonly Race[], on: RaceStore): void {
  for (const { id, sentence, ends, round } of races) {
    describe(`${id} ${sentence}`, () => {
      it(`on ${on.name}, ${on.rounds} times`, { timeout: 60_000 + 500 * on.rounds }, async () => {
        const seen = new Map<string, number>()
        for (let seed = 1; seed <= on.rounds; seed += 1) {
          const end = await runRound(on, seed, round)
          if (!seen.has(end)) seen.set(end, seed)
        }
        const unknown = [...seen].filter(([end]) => !ends.includes(end))
        expect(unknown, 'ends that nobody foresaw, with the first seed of each').toEqual([])
        if (on.sees_every_end) expect([...seen.keys()].sort()).toEqual([...ends].sort())
      })
    })
  }
}

/** How often each value occurs. */
export function tally(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

async function runRound(on: RaceStore, seed: number, round: Race['round']): Promise<string> {
  const rows = await on.open()
  try {
    const random = seededRandom(seed)
    const sandbox = await openSandbox({ seed, store: rows.store })
    const end = await round(roundOf(on, { rows, sandbox, random }))
    await expectInvariants(sandbox, 'after the race')
    await expectQuiet(sandbox, 'at rest')
    return end
  } catch (cause) {
    throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  } finally {
    await rows.close()
  }
}

function roundOf(
  { late }: RaceStore,
  { rows, sandbox, random }: { rows: RaceRows; sandbox: Sandbox; random: Random },
): RaceRound {
  const process = (store: Store, through: Processor) => {
    const ports = interleaved({ store, processor: through }, random)
    return sandbox.another({ ...withProcessor(sandbox, ports.processor), store: ports.store })
  }
  const { processor } = sandbox
  return {
    sandbox,
    first: process(rows.store, processor),
    second: process(rows.again, processor),
    over: (other) => process(rows.again, other),
    random,
    late: () => late(random),
  }
}
