import { TestRunner } from 'vitest'
import { type SuiteRunner, toldTo } from '../src/suite.ts'

type Run = () => unknown

interface Part {
  name: string
  before: Run[]
  after: Run[]
}

/** What is wrong by a sentence of a suite, in its first words; null where it holds. */
export type Sentence = (stuck_after_ms?: number) => Promise<string | null>

/** The sentences of the suite that `tell` describes, by their names within it, to be run one at a time. */
export function sentencesOf(tell: () => void): ReadonlyMap<string, Sentence> {
  const sentences = new Map<string, Sentence>()
  let parts: readonly Part[] = []
  const runner: SuiteRunner = {
    describe(name: string, ...given: unknown[]) {
      const around = parts
      parts = [...around, { name, before: [], after: [] }]
      const within = given.at(-1)
      if (typeof within === 'function') within()
      parts = around
    },
    it: TestRunner.createTaskCollector((sentence: string, run: Run) => {
      const within = parts
      sentences.set([...within.slice(1).map(({ name }) => name), sentence].join(' '), () =>
        faultOf(within, run),
      )
    }),
    beforeEach: (run) => void parts.at(-1)?.before.push(run),
    afterEach: (run) => void parts.at(-1)?.after.push(run),
  }
  toldTo(runner, tell)
  return sentences
}

async function faultOf(parts: readonly Part[], run: Run, stuck_after_ms = 3_000): Promise<string | null> {
  const { promise: stuck, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('it does not end')), stuck_after_ms)
  try {
    for (const before of parts.flatMap((part) => part.before)) await before()
    await Promise.race([run(), stuck])
    for (const after of parts.flatMap((part) => part.after)) await after()
    return null
  } catch (fault) {
    return String(fault).split('\n')[0] ?? ''
  } finally {
    clearTimeout(timer)
  }
}
