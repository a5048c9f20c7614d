import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { largest_amount, misread_amounts } from '../amounts.ts'
import {
  at,
  atOnce,
  type Check,
  cardCharge,
  charged,
  expectCaptured,
  expectHeldOnce,
  expectNothingCaptured,
  expectNothingHeld,
  foundNothing,
  much_later,
  outcome,
  refundOf,
  similarKey,
} from './requests.ts'
import type { ProcessorTokens } from './tokens.ts'

export function describeVerify(check: Check, tokens: ProcessorTokens): void {
  check(
    'returns the brand, last four digits and expiry of a card, and no more of its number',
    async (processor) => {
      const verification = await processor.verify({ token: tokens.approved, type: 'card', at })
      expect(verification).toMatchObject({
        kind: 'verified',
        type: 'card',
        card: {
          brand: expect.any(String),
          last4: expect.stringMatching(/^\d{4}$/),
          exp_month: expect.any(Number),
          funding: expect.any(String),
        },
      })
      expect(JSON.stringify(verification)).not.toMatch(/\d{10}/)
    },
  )
  check('returns a card’s expiry as a month from 1 to 12 and a year of four digits', async (processor) => {
    const verification = await processor.verify({ token: tokens.approved, type: 'card', at })
    if (verification.kind !== 'verified' || verification.type !== 'card') throw new Error('not verified')
    const { exp_month, exp_year } = verification.card
    expect([`${exp_month}`, `${exp_year}`]).toEqual([
      expect.stringMatching(/^([1-9]|1[0-2])$/),
      expect.stringMatching(/^\d{4}$/),
    ])
  })
  check('verifies a token again, and charges it more than once', async (processor) => {
    const token = { token: tokens.approved, type: 'card', at } as const
    expect(await processor.verify(token)).toEqual(await processor.verify(token))
    for (let times = 0; times < 2; times += 1)
      expect(await processor.charge(cardCharge(tokens.approved))).toEqual({ kind: 'approved' })
  })
  check('answers `unknown_token` for a token it never issued', async (processor) => {
    expect(await processor.verify({ token: `tok_${randomUUID()}`, type: 'card', at })).toEqual({
      kind: 'unknown_token',
    })
  })
  check('names the payment method types it can charge', async (processor) => {
    expect(processor.types).toContain('card')
    if (tokens.settles !== null) expect(processor.types).toContain('us_bank_account')
  })
  const { verification_refused, settles } = tokens
  if (verification_refused !== null) {
    check('refuses a card that does not pass verification', async (processor) => {
      const verification = await processor.verify({ token: verification_refused, type: 'card', at })
      expect(verification).toEqual({ kind: 'refused', message: expect.any(String) })
    })
  }
  if (settles !== null) describeAccount(check, settles)
}

function describeAccount(check: Check, settles: string): void {
  check('returns no more of a bank account’s number than its last four digits', async (processor) => {
    const verification = await processor.verify({ token: settles, type: 'us_bank_account', at })
    expect(verification).toEqual({
      kind: 'verified',
      type: 'us_bank_account',
      us_bank_account: {
        bank_name: expect.any(String),
        routing_number: expect.stringMatching(/^\d{9}$/),
        last4: expect.stringMatching(/^\d{4}$/),
        account_type: expect.any(String),
        account_holder_type: expect.any(String),
      },
    })
  })
  check('answers `unknown_token` for a token of another type', async (processor) => {
    expect(await processor.verify({ token: settles, type: 'card', at })).toEqual({ kind: 'unknown_token' })
  })
}

export function describeCharge(check: Check, tokens: ProcessorTokens): void {
  check('approves, or declines with a code and a message', async (processor) => {
    expect(await processor.charge(cardCharge(tokens.approved))).toEqual({ kind: 'approved' })
    const declined = { kind: 'declined', decline_code: expect.any(String), message: expect.any(String) }
    expect(await processor.charge(cardCharge(tokens.declined))).toEqual(declined)
  })
  check('answers a repeated key as it did the first time', async (processor, books) => {
    for (const token of [tokens.approved, tokens.declined]) {
      const request = cardCharge(token)
      const first = await processor.charge(request)
      expect(await processor.charge({ ...request, at: much_later })).toEqual(first)
      expectHeldOnce(books, request)
    }
  })
  check('charges once for a key that arrives many times at once', async (processor, books) => {
    const request = cardCharge(tokens.approved)
    const answers = await atOnce(Array.from({ length: 10 }, () => () => processor.charge(request)))
    expect(answers).toEqual(answers.map(() => ({ kind: 'approved' })))
    await expectCaptured(processor, books, { charge: request, amount: 100 })
  })
  check('never charges a second amount under a key', async (processor, books) => {
    const request = await charged(processor, cardCharge(tokens.approved))
    const again = await outcome(processor.charge({ ...request, amount: 900 }))
    expect(['threw', 'approved']).toContain(again)
    await expectCaptured(processor, books, { charge: request, amount: 100 })
  })
  check(
    'keeps declining a key that it has declined, even with a token that it approves',
    async (processor, books) => {
      const request = await charged(processor, cardCharge(tokens.declined))
      const again = await outcome(processor.charge({ ...request, token: tokens.approved }))
      expect(['threw', 'declined']).toContain(again)
      await expectNothingCaptured(processor, books, request)
    },
  )
  check('gives charges that arrive at once each its own answer', async (processor) => {
    const requests = [tokens.approved, tokens.declined, tokens.approved, tokens.declined].map(cardCharge)
    const answers = await atOnce(requests.map((request) => () => processor.charge(request)))
    expect(answers.map(({ kind }) => kind)).toEqual(['approved', 'declined', 'approved', 'declined'])
  })
  check('tells apart keys that differ only in their last letter or its case', async (processor, books) => {
    const first = cardCharge(tokens.approved)
    for (const end of ['x', 'y', 'X']) {
      const request = { ...first, key: similarKey(first.key, end) }
      expect(await processor.charge(request)).toEqual({ kind: 'approved' })
      await expectCaptured(processor, books, { charge: request, amount: 100 })
    }
  })
  describeSums(check, tokens)
  if (tokens.unreachable !== null) describeUnreachable(check, tokens.unreachable)
}

function describeSums(check: Check, tokens: ProcessorTokens): void {
  check('charges and refunds the requested amount, to the cent', async (processor, books) => {
    for (const amount of misread_amounts) {
      const request = { ...cardCharge(tokens.approved), amount }
      const answer = await processor.charge(request)
      // Its own limit may be lower.
      if (amount === largest_amount && answer.kind === 'declined') continue
      expect(answer).toEqual({ kind: 'approved' })
      await expectCaptured(processor, books, { charge: request, amount })
    }
  })
  check('charges and refunds in the requested currency, or declines', async (processor, books) => {
    const request = { ...cardCharge(tokens.approved), currency: 'CAD' }
    // A processor without an account in that currency must not take the money in another.
    if ((await processor.charge(request)).kind === 'declined') return expectNothingHeld(books, request)
    const refund = refundOf(request, 60)
    await processor.refund(refund)
    expectHeldOnce(books, refund)
    await expectCaptured(processor, books, { charge: request, amount: 40 })
  })
}

function describeUnreachable(check: Check, unreachable: string): void {
  check('answers `unreachable` only if nothing is charged', async (processor, books) => {
    const request = cardCharge(unreachable)
    expect(await processor.charge(request)).toEqual({ kind: 'unreachable' })
    await foundNothing(processor, request)
    expectNothingHeld(books, request)
  })
}
