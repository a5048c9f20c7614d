import { expect, TestRunner } from 'vitest'
import { type SuiteRunner, toldTo } from '../src/suite.ts'

type Run = () => unknown

interface Part {
  name: string
  before: Run[]
  after: Run[]
}

/** What is wrong by a sentence of a suite, in its first words; null where it holds. */
export type Sentence = (stuck_after_ms: number) => Promise<string | null>

/** Expects that a sentence does not hold of an adapter; of one that `hangs`, because the sentence does not end. */
export async function expectSeen(sentence: Sentence, hangs?: 'hangs'): Promise<void> {
  if (hangs) return expect(await sentence(3_000)).toBe(endless)
  const fault = await sentence(patience_ms)
  expect(fault).toEqual(expect.any(String))
  expect(fault).not.toBe(endless)
}

export async function expectHeld(sentence: Sentence): Promise<void> {
  expect(await sentence(patience_ms)).toBe(null)
}

/** Also where many tests run at a time. */
export const patience_ms = 50_000

const endless = 'Error: it does not end'

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
      const name = [...within.slice(1).map((part) => part.name), sentence].join(' ')
      sentences.set(name, (stuck_after_ms) => faultOf(within, run, stuck_after_ms))
    }),
    beforeEach: (run) => void parts.at(-1)?.before.push(run),
    afterEach: (run) => void parts.at(-1)?.after.push(run),
  }
  toldTo(runner, tell)
  return sentences
}

/** One of them. */
export function sentenceOf(tell: () => void, name: string): Sentence {
  const sentence = sentencesOf(tell).get(name)
  if (sentence === undefined) throw new Error(`The suite has no sentence: ${name}`)
  return sentence
}

async function faultOf(parts: readonly Part[], run: Run, stuck_after_ms: number): Promise<string | null> {
  const { promise: stuck, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('it does not end')), stuck_after_ms)
  const fault = await faultIn(async () => {
    for (const before of parts.flatMap((part) => part.before)) await before()
    await Promise.race([run(), stuck])
  })
  clearTimeout(timer)
  const later = await faultIn(async () => {
    for (const after of parts.flatMap((part) => part.after)) await after()
  })
  return fault ?? later
}

function faultIn(run: () => Promise<void>): Promise<string | null> {
  return run().then(
    () => null,
    (fault: unknown) => String(fault).split('\n')[0] ?? '',
  )
}
