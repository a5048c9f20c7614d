import { memoryStore, type Store } from '@quittance/core'
import { describe, it } from 'vitest'
import { describeStore } from '../src/describe-store.ts'
import { withOwn } from '../src/ports/around.ts'
import { expectHeld, expectSeen, sentenceOf, sentencesOf } from './sentences.ts'
import { claimMistakes } from './store-mistakes/claims.ts'
import { lookupMistakes } from './store-mistakes/lookups.ts'
import { type Mistake, rowsAs } from './store-mistakes/planting.ts'
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
  it.each(mistakes)('%s', (_, { sentence, makes, hangs }) =>
    expectSeen(sentenceOf(opened(makes), sentence), hangs),
  )

  it('has no mistake, whatever it was asked for above', async () => {
    for (const sentence of sentences)
      await expectHeld(
        sentenceOf(
          opened(() => ({})),
          sentence,
        ),
      )
  })

  it('gives the columns of a row in another order, without a mistake', async () => {
    const turned: Mistake = (sound) =>
      rowsAs(sound, ({ workspace, livemode, id, ...row }) => ({ ...row, id, livemode, workspace }))
    const of_columns = [...sentencesOf(opened(turned))].filter(([name]) =>
      /^(a row|concurrency only)/.test(name),
    )
    for (const [, sentence] of of_columns) await expectHeld(sentence)
  })

  it('runs its units of work at once, without a mistake', async () => {
    const of_units = sentences.filter((sentence) => sentence.startsWith('concurrency'))
    for (const sentence of of_units) await expectHeld(sentenceOf(opened(sideBySide()), sentence))
  })
})

/** Each process has a store of its own, with the mistake, on the same rows. */
function opened(makes: Mistake): () => void {
  const open = async () => {
    const sound = memoryStore()
    const reopen = async (): Promise<Store> => withOwn(sound, makes(sound))
    return { store: await reopen(), reopen, close: () => sound.close() }
  }
  return () => describeStore('mistaken', open, { processes: true })
}
