import { memoryStore, type Store } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import { describeStore } from '../src/describe-store.ts'
import { withOwn } from '../src/ports/around.ts'
import { sentencesOf } from './sentences.ts'
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
  it.each(mistakes)('%s', async (_, { sentence, makes }) => {
    expect(await faultOf(makes, sentence), sentence).toBeTypeOf('string')
  })

  it('has no mistake, whatever it was asked for above', async () => {
    for (const sentence of sentences) expect(await faultOf(() => ({}), sentence, 60_000), sentence).toBe(null)
  })

  it('runs its units of work at once, without a mistake', async () => {
    const of_units = sentences.filter((sentence) => sentence.startsWith('at the same time'))
    for (const sentence of of_units)
      expect(await faultOf(sideBySide(), sentence, 60_000), sentence).toBe(null)
  })
})

/** Each process has a store of its own, with the mistake, on the same rows. */
async function faultOf(makes: Mistake, sentence: string, stuck_after_ms = 5_000): Promise<string | null> {
  const open = async () => {
    const sound = memoryStore()
    const opened = async (): Promise<Store> => withOwn(sound, makes(sound))
    return { store: await opened(), reopen: opened, close: () => sound.close() }
  }
  const told = sentencesOf(() => describeStore('mistaken', open, { processes: true })).get(sentence)
  if (told === undefined) throw new Error(`the suite has no such sentence: ${sentence}`)
  return told(stuck_after_ms)
}
