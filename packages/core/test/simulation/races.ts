import { openSandbox, type Sandbox, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { expectInvariants, expectQuiet } from '../../../testing/src/simulation/expect-invariants.ts'
import { interleaved } from '../../../testing/src/simulation/interleaved.ts'
import { type Random, seededRandom } from '../../../testing/src/simulation/random.ts'

const runs = 100

export interface Race {
  /** Where rows are read and time is moved: no call of it is held up. */
  sandbox: Sandbox
  /** Engines on one store and processor, every call of which waits a seeded number of turns. */
  first: Sandbox
  second: Sandbox
  random: Random
}

/** Runs a race under 100 seeds. What must hold after every step holds at its end and at rest. */
export async function race(run: (race: Race) => Promise<void>): Promise<void> {
  for (let seed = 1; seed <= runs; seed += 1) {
    const random = seededRandom(seed)
    const sandbox = await openSandbox({ seed })
    const process = () => {
      const { store, processor } = interleaved(sandbox, random)
      return sandbox.another({ ...withProcessor(sandbox, processor), store })
    }
    try {
      await run({ sandbox, first: process(), second: process(), random })
      await expectInvariants(sandbox, 'after the race')
      await expectQuiet(sandbox, 'at rest')
    } catch (cause) {
      throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : cause}`, { cause })
    }
  }
}

/** How often each value occurs. */
export function tally(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
