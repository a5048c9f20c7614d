import { describe, expect, it } from 'vitest'
import { sampleRow } from '../../../testing/src/store/sample-row.ts'
import type { PaymentFailure, PaymentStatus } from '../../src/payments/payment.ts'
import { decidePayment, type PaymentTrigger, paymentTransitions } from '../../src/payments/payment-machine.ts'
import { describeMachine } from './describe-machine.ts'

const scope = { workspace: 'w', livemode: false }
const earlier = '2026-02-01T00:00:00.000Z'

const failure: PaymentFailure = {
  code: 'declined',
  message: 'The card was declined.',
  decline_code: 'generic_decline',
  return_code: null,
}

function paymentIn(status: string | null) {
  const changed = { status: status as PaymentStatus | null, changed_at: earlier, created_at: earlier }
  const listed = status !== null
  return sampleRow('payments', scope, 'pay_test_1', { ...changed, listed, lookups: 0 })
}

function triggerNamed(on: string): PaymentTrigger {
  const explained = on === 'refused' || on === 'unreachable' || on === 'returned'
  return (explained ? { on, failure } : { on }) as PaymentTrigger
}

const succeeded = { event: 'payment.succeeded', stamps: ['succeeded_at'] }
const failed = { event: 'payment.failed', stamps: ['failed_at'] }
const returned = { event: 'payment.returned', stamps: ['returned_at'] }

describeMachine('a payment', {
  statuses: [null, 'processing', 'authorized', 'succeeded', 'failed', 'canceled', 'returned'],
  triggers: ['approved', 'accepted', 'unanswered', 'refused', 'unreachable', 'settled', 'returned', 'voided'],
  rows: paymentTransitions,
  expected: [
    { from: null, on: 'approved', to: 'succeeded', ...succeeded },
    { from: null, on: 'accepted', to: 'processing', event: 'payment.processing' },
    { from: null, on: 'unanswered', to: 'processing', event: 'payment.processing' },
    { from: null, on: 'refused', to: 'failed', ...failed },
    { from: null, on: 'unreachable', to: 'failed', ...failed },
    { from: 'processing', on: 'accepted', to: 'processing' },
    { from: 'processing', on: 'approved', to: 'succeeded', ...succeeded },
    { from: 'processing', on: 'settled', to: 'succeeded', ...succeeded },
    { from: 'processing', on: 'refused', to: 'failed', ...failed },
    { from: 'processing', on: 'unreachable', to: 'failed', ...failed },
    { from: 'processing', on: 'returned', to: 'returned', ...returned },
    { from: 'processing', on: 'voided', to: 'canceled', event: 'payment.canceled', stamps: ['canceled_at'] },
    { from: 'succeeded', on: 'returned', to: 'returned', ...returned },
  ],
  stamps: ['succeeded_at', 'failed_at', 'canceled_at', 'returned_at', 'created_at'],
  refusal: 'conflict',
  row: paymentIn,
  decide: (row, on, now) =>
    decidePayment(row, triggerNamed(on), now).map(({ next, emits }) => ({
      next: { ...row, ...next },
      event: emits ?? undefined,
    })),
})

describe('a payment that moves', () => {
  const now = '2026-02-03T00:00:00.000Z'
  const move = (from: string | null, on: string, at = now) =>
    decidePayment(paymentIn(from), triggerNamed(on), at)._unsafeUnwrap().next

  it("is neither listed nor announced where it was made on an invoice's page", () => {
    const made = { ...paymentIn(null), source: 'invoice_page' as const }
    const { next, emits } = decidePayment(made, { on: 'approved' }, now)._unsafeUnwrap()
    expect(next).toMatchObject({ status: 'succeeded', listed: false })
    expect(emits).toBeNull()
  })

  it('says in `failure` why it failed or came back, and nothing otherwise', () => {
    for (const on of ['refused', 'unreachable']) expect(move(null, on).failure).toEqual(failure)
    expect(move('succeeded', 'returned').failure).toEqual(failure)
    expect(move(null, 'approved').failure).toBeNull()
    expect(move('processing', 'voided').failure).toBeNull()
  })

  it('is asked about again while it is processing, and never once it is anything else', () => {
    expect(move(null, 'unanswered').due_at).toBe('2026-02-03T00:01:00.000Z')
    for (const on of ['approved', 'refused', 'unreachable']) expect(move(null, on).due_at).toBeNull()
    expect(move('succeeded', 'returned').due_at).toBeNull()
    expect(move('processing', 'voided').due_at).toBeNull()
  })

  it('is listed from its first status on', () => {
    expect(paymentIn(null).listed).toBe(false)
    for (const on of ['approved', 'accepted', 'refused']) expect(move(null, on).listed).toBe(true)
  })

  it('never goes back in time when the clock does', () => {
    const moved = move('processing', 'settled', '2026-01-01T00:00:00.000Z')
    expect([moved.succeeded_at, moved.changed_at]).toEqual([earlier, earlier])
  })
})
