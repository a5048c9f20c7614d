import { describe, expect, it } from 'vitest'
import { sampleRow } from '../../../testing/src/store/sample-row.ts'
import type { RefundFailure, RefundStatus } from '../../src/refunds/refund.ts'
import { decideRefund, type RefundTrigger, refundTransitions } from '../../src/refunds/refund-machine.ts'
import { describeMachine } from './describe-machine.ts'

const scope = { workspace: 'w', livemode: false }
const earlier = '2026-02-01T00:00:00.000Z'
const failure: RefundFailure = { code: 'refund_refused', message: 'The bank refuses refunds to this card.' }

function refundIn(status: string | null) {
  const under_way = status === null || status === 'pending'
  return sampleRow('refunds', scope, 're_test_1', {
    status: status as RefundStatus | null,
    listed: status !== null,
    payment: 'pay_test_1',
    pending_of: under_way ? 'pay_test_1' : null,
    changed_at: earlier,
    created_at: earlier,
    lookups: 0,
  })
}

function triggerNamed(on: string): RefundTrigger {
  return (on === 'refused' || on === 'unreachable' ? { on, failure } : { on }) as RefundTrigger
}

const succeeded = { to: 'succeeded', event: 'refund.succeeded', stamps: ['succeeded_at'] }
const pending = { to: 'pending', event: 'refund.pending' }
const failed = { to: 'failed', event: 'refund.failed', stamps: ['failed_at'] }

describeMachine('a refund', {
  statuses: [null, 'pending', 'succeeded', 'failed'],
  triggers: ['confirmed', 'accepted', 'unanswered', 'refused', 'unreachable'],
  rows: refundTransitions,
  expected: [
    { from: null, on: 'confirmed', ...succeeded },
    { from: null, on: 'accepted', ...pending },
    { from: null, on: 'unanswered', ...pending },
    { from: null, on: 'refused', ...failed },
    { from: null, on: 'unreachable', ...failed },
    { from: 'pending', on: 'confirmed', ...succeeded },
    { from: 'pending', on: 'refused', ...failed },
    { from: 'pending', on: 'unreachable', ...failed },
  ],
  stamps: ['succeeded_at', 'failed_at', 'created_at'],
  refusal: 'conflict',
  row: refundIn,
  decide: (row, on, now) =>
    decideRefund(row, triggerNamed(on), now).map(({ next, emits }) => ({
      next: { ...row, ...next },
      event: emits,
    })),
})

describe('a refund that moves', () => {
  const move = (from: string | null, on: string, at = '2026-02-03T00:00:00.000Z') =>
    decideRefund(refundIn(from), triggerNamed(on), at)._unsafeUnwrap().next

  it('says in `failure` why it failed, and nothing otherwise', () => {
    for (const on of ['refused', 'unreachable']) {
      expect(move(null, on).failure).toEqual(failure)
      expect(move('pending', on).failure).toEqual(failure)
    }
    for (const on of ['confirmed', 'accepted', 'unanswered']) expect(move(null, on).failure).toBeNull()
    expect(move('pending', 'confirmed').failure).toBeNull()
  })

  it('keeps another refund of its payment off while it is pending, and no longer', () => {
    expect(move(null, 'accepted').pending_of).toBe('pay_test_1')
    expect(move(null, 'unanswered').pending_of).toBe('pay_test_1')
    for (const on of ['confirmed', 'refused', 'unreachable']) {
      expect(move(null, on).pending_of).toBeNull()
      expect(move('pending', on).pending_of).toBeNull()
    }
  })

  it('is asked about 60 s after it became pending, and never once it is final', () => {
    expect(move(null, 'unanswered').due_at).toBe('2026-02-03T00:01:00.000Z')
    expect(move('pending', 'confirmed').due_at).toBeNull()
    expect(move(null, 'refused').due_at).toBeNull()
  })

  it('is listed from its first status on', () => {
    expect(refundIn(null).listed).toBe(false)
    for (const on of ['confirmed', 'accepted', 'refused']) expect(move(null, on).listed).toBe(true)
  })

  it('never goes back in time when the clock does', () => {
    const moved = move('pending', 'confirmed', '2026-01-01T00:00:00.000Z')
    expect([moved.succeeded_at, moved.changed_at]).toEqual([earlier, earlier])
  })
})
