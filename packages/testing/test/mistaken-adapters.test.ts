import type { Processor } from '@quittance/core'
import type { LedgerRefund } from '@quittance/processor-simulator'
import { describe, expect, it } from 'vitest'
import {
  isChargeback,
  lookingUpAs,
  mistaken,
  type ProcessorMistakes,
  telling,
  verifying,
  withAnotherCode,
} from './adapter-mistakes.ts'
import { failing } from './failing-sentences.ts'
import { mistakesWithKeys } from './mistakes-with-keys.ts'

/** What adapters of real processors get wrong, and the one sentence of the contract suite that then fails. */
const mistakes: ProcessorMistakes = {
  ...mistakesWithKeys,
  'computes cents with fractions': {
    sentence: 'charges and refunds the requested amount, to the cent',
    makes: (sound) => ({
      charge: (request) => sound.charge({ ...request, amount: Math.trunc((request.amount / 100) * 100) }),
    }),
  },
  'writes amounts with a comma, and reads them up to it': {
    sentence: 'charges and refunds the requested amount, to the cent',
    makes: (sound) => ({
      charge: (request) => sound.charge({ ...request, amount: request.amount % 100_000 }),
    }),
  },
  'has one currency, whatever it is asked for': {
    sentence: 'charges and refunds in the requested currency, or declines',
    makes: (sound) => ({
      charge: (request) => sound.charge({ ...request, currency: 'USD' }),
      refund: (request) => sound.refund({ ...request, currency: 'USD' }),
    }),
  },
  'books refunds in one currency, whatever the charge is in': {
    sentence: 'charges and refunds in the requested currency, or declines',
    makes: (sound) => ({
      ledger: {
        ...sound.ledger,
        refunds: () => sound.ledger.refunds().map((refund) => ({ ...refund, currency: 'USD' })),
      },
    }),
  },
  'has room for seven digits of an amount': {
    sentence: 'charges and refunds the requested amount, to the cent',
    makes: (sound) => ({
      charge: (request) => sound.charge({ ...request, amount: request.amount % 10_000_000 }),
    }),
  },
  'computes cents of refunds with fractions': {
    sentence: 'charges and refunds the requested amount, to the cent',
    makes: (sound) => ({
      refund: (request) => sound.refund({ ...request, amount: Math.trunc((request.amount / 100) * 100) }),
    }),
  },
  'tells what nobody was told yet, whatever the cursor': {
    sentence: 'tells the same again since a cursor that it was asked with before',
    makes: (sound) => {
      let own: string | null = null
      const notifications: Processor['notifications'] = async ({ after, at }) => {
        const page = await sound.notifications({ after: after && own, at })
        own = page.cursor
        return page
      }
      return { notifications }
    },
  },
  'takes a pending refund for none': {
    sentence: 'sets aside the amount of a pending refund, and tells of its outcome',
    makes: (sound) => ({
      refund: async (request) => {
        const answer = await sound.refund(request)
        const pending = sound.ledger.refunds().some(({ state }) => state.kind === 'pending')
        return pending && answer.kind === 'refused' ? { kind: 'pending' } : answer
      },
    }),
  },
  'answers not found while a refund is on its way': {
    sentence: 'agrees with a refund that arrives at the same moment',
    makes: (sound) => ({
      lookup: async (request) => {
        const was_there = sound.ledger.refund(request.key) !== null
        await Promise.resolve()
        const is_late = !was_there && sound.ledger.refund(request.key) !== null
        return is_late ? { kind: 'not_found' } : sound.lookup(request)
      },
    }),
  },
  'takes what it cannot find for stopped': {
    sentence: 'answers `voided` for an unknown charge only if it then declines it',
    makes: (sound) => ({
      void: async (request) => (sound.ledger.charge(request.key) === null ? 'voided' : sound.void(request)),
    }),
  },
  'reads the first page of a list and goes on behind its end': {
    sentence: 'tells the same again, under the same ids, when read from the beginning',
    makes: (sound) => telling(sound, (told) => told.slice(0, 100)),
  },
  'looks up as failed what it gave back': {
    sentence: 'tells what became of a charge and of a refund',
    makes: (sound) =>
      lookingUpAs(sound, 'tok_test_visa', { kind: 'refused', failure_code: 'failed', message: 'No.' }),
  },
  'looks a refund up as pending for ever': {
    sentence: 'sets aside the amount of a pending refund, and tells of its outcome',
    makes: (sound) => lookingUpAs(sound, 'tok_test_refund_pending', { kind: 'pending' }),
  },
  'gives back what was charged back': {
    sentence:
      'tells of a chargeback as a return with the code `chargeback`, and refuses refunds from then on',
    makes: (sound) => ({
      refund: async (request) => {
        const state = sound.ledger.charge(request.charge_key)?.state
        const is_disputed = state?.kind === 'returned' && state.return_code === 'chargeback'
        const answer = await sound.refund(request)
        return is_disputed ? { kind: 'succeeded' } : answer
      },
    }),
  },
  'tells a return once more with a code of its own': {
    sentence: 'tells of a returned debit with one code, and refuses to refund it',
    makes: (sound) => telling(sound, (told) => told.flatMap(withAnotherCode)),
  },
  'never tells of a chargeback': {
    sentence:
      'tells of a chargeback as a return with the code `chargeback`, and refuses refunds from then on',
    makes: (sound) => telling(sound, (told) => told.filter((one) => !isChargeback(one))),
  },
  'looks a returned debit up as settled': {
    sentence: 'tells of a returned debit with one code, and refuses to refund it',
    makes: (sound) => ({
      lookup: async (request) => {
        const found = await sound.lookup(request)
        const returned = found.kind === 'charge' && found.state.kind === 'returned'
        return returned ? { kind: 'charge', state: { kind: 'settled' } } : found
      },
    }),
  },
  'gives back what came back after it had settled': {
    sentence: 'tells of a return after the settlement, and refuses refunds from then on',
    makes: (sound) => ({
      refund: async (request) => {
        const answer = await sound.refund(request)
        const settled = sound.ledger
          .charge(request.charge_key)
          ?.history.some(({ state }) => state.kind === 'settled')
        const came_back = answer.kind === 'refused' && answer.failure_code === 'charge_returned'
        return settled && came_back ? { kind: 'succeeded' } : answer
      },
    }),
  },
  'never tells of a refund that failed': {
    sentence: 'tells that a pending refund failed, and accepts another one for its amount',
    makes: (sound) => telling(sound, (told) => told.filter(({ state }) => state.kind !== 'refused')),
  },
  'keeps the amount of a refund that failed': {
    sentence: 'tells that a pending refund failed, and accepts another one for its amount',
    makes: (sound) => ({
      refund: async (request) => {
        const failed = ({ charge_key, token, state }: LedgerRefund) =>
          charge_key === request.charge_key && token === 'tok_test_refund_fails' && state.kind === 'refused'
        const answer = { kind: 'refused', failure_code: 'exceeds_balance', message: 'No.' } as const
        return sound.ledger.refunds().some(failed) ? answer : sound.refund(request)
      },
    }),
  },
  'shows the year of expiry in two digits': {
    sentence: 'returns a card’s expiry as a month from 1 to 12 and a year of four digits',
    makes: (sound) => verifying(sound, (shown) => ({ ...shown, card: { ...shown.card, exp_year: 34 } })),
  },
  'counts the months of expiry from 0': {
    sentence: 'returns a card’s expiry as a month from 1 to 12 and a year of four digits',
    makes: (sound) => verifying(sound, (shown) => ({ ...shown, card: { ...shown.card, exp_month: 0 } })),
  },
  'shows the whole number of an account': {
    sentence: 'returns no more of a bank account’s number than its last four digits',
    makes: (sound) => ({
      verify: async (request) => {
        const shown = await sound.verify(request)
        if (shown.kind !== 'verified' || shown.type === 'card') return shown
        return { ...shown, us_bank_account: { ...shown.us_bank_account, last4: '000123456789' } }
      },
    }),
  },
  'spends a token by verifying it': {
    sentence: 'verifies a token again, and charges it more than once',
    makes: (sound) => {
      const spent = new Set<string>()
      const verify: Processor['verify'] = async (request) => {
        if (spent.has(request.token)) return { kind: 'unknown_token' }
        spent.add(request.token)
        return sound.verify(request)
      }
      return { verify }
    },
  },
}

describe('the contract suite sees an adapter that', () => {
  it.each(Object.entries(mistakes))('%s', async (_, { sentence, makes }) => {
    const found = await failing(() => mistaken(makes))
    expect(found).toEqual([expect.stringContaining(`${sentence}: `)])
  })
})
