import { expect } from 'vitest'
import {
  at,
  atOnce,
  bankDebit,
  type Check,
  cardCharge,
  charged,
  expectCaptured,
  expectHeldOnce,
  found,
  much_later,
  outcome,
  refundOf,
  toldOf,
} from './requests.ts'
import type { ProcessorTokens } from './tokens.ts'

export function describeRefund(check: Check, tokens: ProcessorTokens): void {
  check('gives money back once for a key', async (processor, books) => {
    const request = await charged(processor, cardCharge(tokens.approved))
    const refund = refundOf(request, 60)
    const first = await processor.refund(refund)
    expect(await processor.refund(refund)).toEqual(first)
    expectHeldOnce(books, refund)
    await expectCaptured(processor, books, { charge: request, amount: 40 })
  })
  check('gives money back once for a key that arrives ten times at once', async (processor, books) => {
    const request = await charged(processor, cardCharge(tokens.approved))
    const refund = refundOf(request, 60)
    const answers = await atOnce(Array.from({ length: 10 }, () => () => processor.refund(refund)))
    expect(answers).toEqual(answers.map(() => answers[0]))
    expectHeldOnce(books, refund)
    await expectCaptured(processor, books, { charge: request, amount: 40 })
  })
  check('never gives back a second amount under a key', async (processor, books) => {
    const request = await charged(processor, cardCharge(tokens.approved))
    const refund = refundOf(request, 60)
    const { kind } = await processor.refund(refund)
    expect(['threw', kind]).toContain(await outcome(processor.refund({ ...refund, amount: 30 })))
    expectHeldOnce(books, refund)
    await expectCaptured(processor, books, { charge: request, amount: 40 })
  })
  check('refuses to give back more than is left of what was captured', async (processor) => {
    const request = await charged(processor, cardCharge(tokens.approved))
    const kinds: string[] = []
    for (const amount of [101, 60, 41, 40, 1]) {
      const { kind } = await processor.refund(refundOf(request, amount))
      kinds.push(kind === 'refused' ? 'refused' : 'not refused')
    }
    const expected = ['refused', 'not refused', 'refused', 'not refused', 'refused']
    expect(kinds, 'refunds of 101, 60, 41, 40 and 1 of 100').toEqual(expected)
  })
  check('gives back no more than was captured to refunds that arrive at once', async (processor, books) => {
    const request = await charged(processor, cardCharge(tokens.approved))
    const refunds = Array.from({ length: 4 }, () => refundOf(request, 60))
    const answers = await atOnce(refunds.map((refund) => () => processor.refund(refund)))
    const made = answers.filter(({ kind }) => kind !== 'refused')
    expect(made, 'refunds of 60 of 100 that arrived at once and were not refused').toHaveLength(1)
    await expectCaptured(processor, books, { charge: request, amount: 40 })
  })
  check('refuses to give back what was never captured', async (processor) => {
    const request = await charged(processor, cardCharge(tokens.declined))
    expect((await processor.refund(refundOf(request, 1))).kind).toBe('refused')
    expect((await processor.refund(refundOf(cardCharge(tokens.approved), 1))).kind).toBe('refused')
  })
  describeRefusals(check, tokens)
  if (tokens.refund_pending !== null) describePending(check, tokens.refund_pending)
  if (tokens.refund_fails !== null) describeFailing(check, tokens.refund_fails)
}

function describeRefusals(check: Check, { settles, refund_refused }: ProcessorTokens): void {
  if (settles !== null) {
    check('keeps refusing a key that it has refused, even once it accepts another', async (processor) => {
      const request = await charged(processor, bankDebit(settles))
      const refund = refundOf(request, 100)
      // A processor that can refund it already has nothing to refuse here.
      if ((await processor.refund(refund)).kind !== 'refused') return
      expect((await processor.lookup({ key: request.key, at: much_later })).kind).toBe('charge')
      expect((await processor.refund({ ...refund, at: much_later })).kind).toBe('refused')
      const another = { ...refundOf(request, 100), at: much_later }
      expect((await processor.refund(another)).kind).not.toBe('refused')
    })
  }
  if (refund_refused !== null) {
    check('refuses a refund with a code and a message, which a look-up repeats', async (processor) => {
      const request = await charged(processor, cardCharge(refund_refused))
      const refund = refundOf(request, 100)
      const answer = await processor.refund(refund)
      expect(answer).toEqual({
        kind: 'refused',
        failure_code: expect.any(String),
        message: expect.any(String),
      })
      expect(await found(processor, refund)).toEqual({ kind: 'refund', state: answer })
    })
  }
}

function describePending(check: Check, refund_pending: string): void {
  check('sets aside the amount of a pending refund, and tells of its outcome', async (processor) => {
    const request = await charged(processor, cardCharge(refund_pending))
    const refund = refundOf(request, 100)
    expect(await processor.refund(refund)).toEqual({ kind: 'pending' })
    const early = await processor.lookup({ key: refund.key, at })
    if (early.kind !== 'unknown') expect(early).toEqual({ kind: 'refund', state: { kind: 'pending' } })
    expect((await processor.refund(refundOf(request, 1))).kind).toBe('refused')
    const told = await toldOf(processor, refund)
    expect(told.map(({ of, state }) => [of, state.kind])).toEqual([['refund', 'succeeded']])
    const late = await processor.lookup({ key: refund.key, at: much_later })
    expect(late).toEqual({ kind: 'refund', state: { kind: 'succeeded' } })
  })
}

function describeFailing(check: Check, refund_fails: string): void {
  check('tells that a pending refund failed, and accepts another one for its amount', async (processor) => {
    const request = await charged(processor, cardCharge(refund_fails))
    const refund = refundOf(request, 100)
    expect(await processor.refund(refund)).toEqual({ kind: 'pending' })
    const told = await toldOf(processor, refund)
    const state = { kind: 'refused', failure_code: expect.any(String), message: expect.any(String) }
    expect(told).toEqual([expect.objectContaining({ of: 'refund', state })])
    expect(await processor.lookup({ key: refund.key, at: much_later })).toEqual({ kind: 'refund', state })
    const again = { ...refundOf(request, 100), at: much_later }
    expect((await processor.refund(again)).kind, 'a refund of the same amount after that').not.toBe('refused')
  })
}
