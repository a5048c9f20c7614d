import { describe, expect, it } from 'vitest'
import { describeProcessor } from '../src/describe-processor.ts'
import { givesBackWhatItIsAskedFor, mistaken } from './adapter-mistakes.ts'
import { failing } from './failing-sentences.ts'
import { patience_ms, sentenceOf } from './sentences.ts'

describe('the contract suite, which tries with refunds what a charge holds', () => {
  it('says so', async () => {
    const { processor } = mistaken((sound) => ({
      charge: (request) => sound.charge({ ...request, amount: request.amount - 1 }),
    }))
    const found = await failing(() => ({ processor }))
    const why = ': a refund, to try it, of the 100 left of 100 USD under the key'
    expect(found).toContain(`charge charges once for a key that arrives many times at once${why}`)
  })

  it.each([
    'charge charges once for a key that arrives many times at once',
    'refund gives money back once for a key',
    'lookup declines a charge for ever once its key was `not_found`',
  ])('says why else it may fail: %s', async (name) => {
    const { processor } = mistaken(givesBackWhatItIsAskedFor)
    const tell = () => describeProcessor('shown', async () => ({ processor, close: async () => undefined }))
    expect(await sentenceOf(tell, name)(patience_ms)).toMatch(
      /: more is held, or the processor gives back more than was captured: /,
    )
  })

  // Nine sentences about keys failed, too.
  it('reads a ledger instead: what gives back too much fails by the sentences that say so', async () => {
    expect(await failing(() => mistaken(givesBackWhatItIsAskedFor))).toEqual([
      expect.stringContaining(
        'tells of a chargeback as a return with the code `chargeback`, and refuses refunds from then on: ',
      ),
      expect.stringContaining('tells of a return after the settlement, and refuses refunds from then on: '),
      expect.stringContaining('gives back no more than was captured to refunds that arrive at once: '),
      expect.stringContaining('refuses to give back more than is left of what was captured: '),
      expect.stringContaining('refuses to give back what was never captured: '),
      expect.stringContaining('sets aside the amount of a pending refund, and tells of its outcome: '),
      expect.stringContaining('tells of a returned debit with one code, and refuses to refund it: '),
      expect.stringContaining('so that it never settles and cannot be refunded: '),
    ])
  })
})
