import type { Processor } from '@quittance/core'
import {
  chargesAgainWhatIs,
  chargesAgainWhereNoAnswerCame,
  comparesBeforeItRefunds,
  looksBeforeItRefunds,
  type ProcessorMistakes,
  underKeys,
} from './adapter-mistakes.ts'

/** Mistakes with what arrives twice, or at once. */
export const mistakesWithKeys: ProcessorMistakes = {
  'cuts keys at 64 letters': {
    sentence: 'tells apart keys that differ only in their last letter or its case',
    makes: (sound) => underKeys(sound, (key) => key.slice(0, 64)),
  },
  'looks keys up in a column that ignores case': {
    sentence: 'tells apart keys that differ only in their last letter or its case',
    makes: (sound) => underKeys(sound, (key) => key.toLowerCase()),
  },
  'tries again under another key where no answer came': {
    sentence: 'finds a charge whose answer never came, and has made it once',
    makes: chargesAgainWhereNoAnswerCame,
  },
  'looks for a refund, and makes it once it has found none': {
    sentence: 'gives money back once for a key that arrives ten times at once',
    makes: looksBeforeItRefunds,
  },
  'refunds again under a key that comes with another amount': {
    sentence: 'never gives back a second amount under a key',
    makes: (sound) => ({
      refund: (request) => {
        const known = sound.ledger.refund(request.key)
        const is_other = known !== null && known.amount !== request.amount
        return sound.refund(is_other ? { ...request, key: `${request.key} again` } : request)
      },
    }),
  },
  'tries again under a key that was refused': {
    sentence: 'keeps refusing a key that it has refused, even once it accepts another',
    makes: (sound) => ({
      refund: (request) => {
        const refused = sound.ledger.refund(request.key)?.state.kind === 'refused'
        return sound.refund(refused ? { ...request, key: `${request.key} again` } : request)
      },
    }),
  },
  'charges again where it has declined': {
    sentence: 'keeps declining a key that it has declined, even with a token that it approves',
    makes: (sound) => ({
      charge: (request) => {
        const known = sound.ledger.charge(request.key)
        const is_other = known?.state.kind === 'declined' && known.token !== request.token
        return sound.charge(is_other ? { ...request, key: `${request.key} again` } : request)
      },
    }),
  },
  'charges again what was stopped': {
    sentence: 'stops a charge before the batch cut-off, so that it never settles and cannot be refunded',
    makes: chargesAgainWhatIs('voided'),
  },
  'charges again what came back': {
    sentence: 'tells of a returned debit with one code, and refuses to refund it',
    makes: chargesAgainWhatIs('returned'),
  },
  'gives back what was left when each refund began': {
    sentence: 'gives back no more than was captured to refunds that arrive at once',
    makes: comparesBeforeItRefunds,
  },
  'answers what arrives at once with what it was asked last': {
    sentence: 'gives charges that arrive at once each its own answer',
    makes: (sound) => {
      let token = ''
      const charge: Processor['charge'] = async (request) => {
        token = request.token
        await Promise.resolve()
        return sound.charge({ ...request, token })
      }
      return { charge }
    },
  },
}
