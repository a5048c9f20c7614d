import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import {
  at,
  type Check,
  cardCharge,
  expectCaptured,
  expectHeldOnce,
  much_later,
  outcome,
} from './requests.ts'
import type { ProcessorTokens } from './tokens.ts'

export function describeVerify(check: Check, tokens: ProcessorTokens): void {
  check(
    'shows of a card its brand, last four digits and expiry, and no more of its number',
    async (processor) => {
      const verification = await processor.verify({ token: tokens.approved, type: 'card', at })
      expect(verification).toMatchObject({
        kind: 'verified',
        type: 'card',
        card: {
          brand: expect.any(String),
          last4: expect.stringMatching(/^\d{4}$/),
          exp_month: expect.any(Number),
        },
      })
      expect(JSON.stringify(verification)).not.toMatch(/\d{10}/)
    },
  )
  check('does not know a token it never gave out', async (processor) => {
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
  if (settles !== null) {
    check('does not know a token under another type', async (processor) => {
      expect(await processor.verify({ token: settles, type: 'card', at })).toEqual({ kind: 'unknown_token' })
    })
  }
}

export function describeCharge(check: Check, tokens: ProcessorTokens): void {
  check('approves, or declines with a code and a message', async (processor) => {
    expect(await processor.charge(cardCharge(tokens.approved))).toEqual({ kind: 'approved' })
    const declined = { kind: 'declined', decline_code: expect.any(String), message: expect.any(String) }
    expect(await processor.charge(cardCharge(tokens.declined))).toEqual(declined)
  })
  check('answers a key it knows what it answered then', async (processor, books) => {
    for (const token of [tokens.approved, tokens.declined]) {
      const request = cardCharge(token)
      const first = await processor.charge(request)
      expect(await processor.charge({ ...request, at: much_later })).toEqual(first)
      expectHeldOnce(books, request)
    }
  })
  check('charges once for a key that arrives many times at the same moment', async (processor, books) => {
    const request = cardCharge(tokens.approved)
    const answers = await Promise.all(Array.from({ length: 10 }, () => processor.charge(request)))
    expect(answers).toEqual(answers.map(() => ({ kind: 'approved' })))
    expectHeldOnce(books, request)
    await expectCaptured(processor, request, 100)
  })
  check('never charges a second amount under a key', async (processor, books) => {
    const request = cardCharge(tokens.approved)
    await processor.charge(request)
    const again = await outcome(processor.charge({ ...request, amount: 900 }))
    expect(['threw', 'approved']).toContain(again)
    expectHeldOnce(books, request)
    await expectCaptured(processor, request, 100)
  })
  const { unreachable } = tokens
  if (unreachable !== null) {
    check('answers unreachable only where nothing is charged', async (processor) => {
      const request = cardCharge(unreachable)
      expect(await processor.charge(request)).toEqual({ kind: 'unreachable' })
      expect(await processor.lookup({ key: request.key, at: much_later })).toEqual({ kind: 'not_found' })
    })
  }
}
