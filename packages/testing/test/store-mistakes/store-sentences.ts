import { TestRunner } from 'vitest'
import { describeParts, type describeStore } from '../../src/describe-store.ts'
import type { OpenStore } from '../../src/store/open-store.ts'
import { type SuiteRunner, toldTo } from '../../src/store/suite.ts'

type Run = () => unknown

interface Part {
  name: string
  before: Run[]
  after: Run[]
}

/** What is wrong with a store by a sentence, in its first words; undefined where the sentence holds. */
type FaultOf = (stuck_after_ms: number) => Promise<string | undefined>

/** Every sentence of the suite. */
export function storeSentences(
  open: OpenStore,
  options: Parameters<typeof describeStore>[2],
): ReadonlyMap<string, FaultOf> {
  const sentences = new Map<string, FaultOf>()
  let parts: readonly Part[] = []
  const runner: SuiteRunner = {
    describe(name, tell) {
      const around = parts
      parts = [...around, { name, before: [], after: [] }]
      tell()
      parts = around
    },
    it: TestRunner.createTaskCollector((sentence: string, run: Run) => {
      const within = parts
      sentences.set([...within.map(({ name }) => name), sentence].join(' '), (stuck_after_ms) =>
        faultOf(within, run, stuck_after_ms),
      )
    }),
    beforeEach: (run) => void parts.at(-1)?.before.push(run),
    afterEach: (run) => void parts.at(-1)?.after.push(run),
  }
  toldTo(runner, () => describeParts(open, options))
  return sentences
}

async function faultOf(parts: readonly Part[], run: Run, stuck_after_ms: number): ReturnType<FaultOf> {
  const { promise: stuck, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('it does not end')), stuck_after_ms)
  try {
    for (const before of parts.flatMap((part) => part.before)) await before()
    await Promise.race([run(), stuck])
    for (const after of parts.flatMap((part) => part.after)) await after()
    return undefined
  } catch (fault) {
    return String(fault).split('\n')[0] ?? ''
  } finally {
    clearTimeout(timer)
  }
}
