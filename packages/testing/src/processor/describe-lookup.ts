import type { ChargeAnswer, Lookup, RefundAnswer } from '@quittance/core'
import { expect } from 'vitest'
import {
  at,
  atOnce,
  type Check,
  cardCharge,
  charged,
  expectCaptured,
  expectNothingCaptured,
  expectNothingHeld,
  found,
  foundNothing,
  much_later,
  outcome,
  refundOf,
} from './requests.ts'
import type { ProcessorTokens } from './tokens.ts'

export function describeLookup(check: Check, tokens: ProcessorTokens): void {
  check('tells what became of a charge and of a refund', async (processor) => {
    const request = await charged(processor, cardCharge(tokens.approved))
    const declined = cardCharge(tokens.declined)
    const state = await processor.charge(declined)
    const refund = refundOf(request, 10)
    const given = await processor.refund(refund)
    // Everything is requested before the first look-up, which may move on to a later time.
    expect(await found(processor, request)).toEqual({ kind: 'charge', state: { kind: 'approved' } })
    expect(await found(processor, declined)).toEqual({ kind: 'charge', state })
    // One whose answer was not final may be over by now.
    const end = {
      kind: given.kind === 'succeeded' ? 'succeeded' : expect.stringMatching(/^(pending|succeeded)$/),
    }
    expect(await found(processor, refund)).toEqual({ kind: 'refund', state: end })
  })
  describeNotFound(check, tokens)
  const { unanswered_approved, unanswered_forever } = tokens
  if (unanswered_approved !== null) {
    check('finds a charge whose answer never came, and has made it once', async (processor, books) => {
      const request = cardCharge(unanswered_approved)
      expect(['unanswered', 'threw']).toContain(await outcome(processor.charge(request)))
      expect(await found(processor, request)).toEqual({ kind: 'charge', state: { kind: 'approved' } })
      await expectCaptured(processor, books, { charge: request, amount: 100 })
    })
  }
  if (unanswered_forever !== null) {
    check('answers `unknown`, never `not_found`, while a charge may still be decided', async (processor) => {
      const request = cardCharge(unanswered_forever)
      expect(['unanswered', 'threw']).toContain(await outcome(processor.charge(request)))
      for (const time of [at, much_later]) {
        expect(await processor.lookup({ key: request.key, at: time })).toEqual({ kind: 'unknown' })
      }
    })
  }
}

function describeNotFound(check: Check, tokens: ProcessorTokens): void {
  check('declines a charge for ever once its key was `not_found`', async (processor, books) => {
    const request = cardCharge(tokens.approved)
    // A key that was left open may still be used.
    if ((await foundNothing(processor, request)) === 'unknown')
      return expect(await processor.charge(request)).toEqual({ kind: 'approved' })
    expect((await processor.charge(request)).kind).toBe('declined')
    expect((await processor.charge({ ...request, at: much_later })).kind).toBe('declined')
    await expectNothingCaptured(processor, books, request)
  })
  check('refuses a refund for ever once its key was `not_found`', async (processor, books) => {
    const request = await charged(processor, cardCharge(tokens.approved))
    const refund = refundOf(request, 100)
    if ((await foundNothing(processor, refund)) === 'unknown')
      return expect((await processor.refund(refund)).kind).not.toBe('refused')
    expect((await processor.refund(refund)).kind).toBe('refused')
    expect((await processor.refund({ ...refund, at: much_later })).kind).toBe('refused')
    expectNothingHeld(books, refund)
    await expectCaptured(processor, books, { charge: request, amount: 100 })
  })
  check('agrees with a charge that arrives at the same moment', async (processor) => {
    for (let round = 0; round < 10; round += 1) {
      const request = cardCharge(tokens.approved)
      const [looked_up, answered] = await atOnce<Lookup | ChargeAnswer>([
        () => processor.lookup({ key: request.key, at }),
        () => processor.charge(request),
      ])
      expect(answered?.kind).toBe(looked_up?.kind === 'not_found' ? 'declined' : 'approved')
    }
  })
  check('agrees with a refund that arrives at the same moment', async (processor, books) => {
    for (let round = 0; round < 10; round += 1) {
      const request = await charged(processor, cardCharge(tokens.approved))
      const refund = refundOf(request, 100)
      const [looked_up, refunded] = await atOnce<Lookup | RefundAnswer>([
        () => processor.lookup({ key: refund.key, at }),
        () => processor.refund(refund),
      ])
      expect(refunded?.kind === 'refused').toBe(looked_up?.kind === 'not_found')
      if (looked_up?.kind === 'not_found') expectNothingHeld(books, refund)
    }
  })
}
