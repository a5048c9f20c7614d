import { memoryStore, type Store } from '@quittance/core'
import { describe, it } from 'vitest'
import { describeStore } from '../src/describe-store.ts'
import { withOwn } from '../src/ports/around.ts'
import { expectHeld, expectSeen, sentencesOf } from './sentences.ts'
import { claimMistakes } from './store-mistakes/claims.ts'
import { lookupMistakes } from './store-mistakes/lookups.ts'
import type { Mistake } from './store-mistakes/planting.ts'
import { processMistakes } from './store-mistakes/processes.ts'
import { rowMistakes } from './store-mistakes/rows.ts'
import { sideBySide } from './store-mistakes/side-by-side.ts'
import { timeMistakes } from './store-mistakes/times.ts'
import { unitMistakes } from './store-mistakes/units.ts'
import { writeMistakes } from './store-mistakes/writes.ts'

/** What stores get wrong, and one sentence of the contract suite that then fails: most break more than one. */
const mistakes = Object.entries({
  ...rowMistakes,
  ...lookupMistakes,
  ...writeMistakes,
  ...unitMistakes,
  ...timeMistakes,
  ...claimMistakes,
  ...processMistakes,
})
const sentences = [...new Set(mistakes.map(([, { sentence }]) => sentence))]

describe('the contract suite sees a store that', () => {
  it.each(mistakes)('%s', (_, { sentence, makes, hangs }) => expectSeen(sentenceOf(makes, sentence), hangs))

  it('has no mistake, whatever it was asked for above', async () => {
    for (const sentence of sentences) await expectHeld(sentenceOf(() => ({}), sentence))
  })

  it('runs its units of work at once, without a mistake', async () => {
    const of_units = sentences.filter((sentence) => sentence.startsWith('at the same time'))
    for (const sentence of of_units) await expectHeld(sentenceOf(sideBySide(), sentence))
  })
})

/** Each process has a store of its own, with the mistake, on the same rows. */
function sentenceOf(makes: Mistake, name: string) {
  const open = async () => {
    const sound = memoryStore()
    const opened = async (): Promise<Store> => withOwn(sound, makes(sound))
    return { store: await opened(), reopen: opened, close: () => sound.close() }
  }
  const sentence = sentencesOf(() => describeStore('mistaken', open, { processes: true })).get(name)
  if (sentence === undefined) throw new Error(`the suite has no such sentence: ${name}`)
  return sentence
}
