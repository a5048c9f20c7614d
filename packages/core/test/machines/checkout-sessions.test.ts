import { describe, expect, it } from 'vitest'
import { sampleRow } from '../../../testing/src/store/sample-row.ts'
import type { CheckoutSessionRow, CheckoutStatus } from '../../src/checkout-sessions/checkout-session.ts'
import {
  asOf,
  checkoutTransitions,
  decideExpired,
  decidePaid,
  releasePayment,
} from '../../src/checkout-sessions/checkout-session-machine.ts'
import { describeMachine } from './describe-machine.ts'

const scope = { workspace: 'w', livemode: false }
const earlier = '2026-02-01T00:00:00.000Z'
const expires_at = '2026-02-02T00:00:00.000Z'

function pageIn(status: string | null, paying: string | null = null): CheckoutSessionRow {
  return sampleRow('checkout_sessions', scope, 'cs_test_1', {
    status: status as CheckoutStatus,
    paying,
    created_at: earlier,
    changed_at: earlier,
    expires_at,
    due_at: status === 'open' && paying === null ? expires_at : null,
  })
}

const decide = (row: CheckoutSessionRow, on: string, now: string) => {
  const moved =
    on === 'a payment succeeds'
      ? decidePaid(row, 'pay_test_1', now)
      : decideExpired(row, on === 'expires_at passes' ? 'time' : 'expire', now)
  return moved.map(({ next, emits }) => ({ next, event: emits }))
}

const triggers = ['a payment succeeds', 'expires_at passes', 'expire']
const complete = { to: 'complete', event: 'checkout_session.completed', stamps: ['completed_at'] }
const expired = { to: 'expired', event: 'checkout_session.expired' }
const stamps = ['completed_at', 'created_at', 'expires_at'] as const

describeMachine('a checkout session', {
  statuses: ['open', 'complete', 'expired'],
  triggers,
  rows: checkoutTransitions,
  expected: [
    { from: 'open', on: 'a payment succeeds', ...complete },
    { from: 'open', on: 'expires_at passes', ...expired },
    { from: 'open', on: 'expire', ...expired },
  ],
  stamps,
  refusal: 'conflict',
  row: (status) => pageIn(status),
  decide,
})

describe('a checkout session with a payment in flight', () => {
  const paying = pageIn('open', 'pay_test_1')

  it.each(['expires_at passes', 'expire'])('is not closed when %s', (on) => {
    const refused = decide(paying, on, '2026-03-01T00:00:00.000Z')
    expect(refused.isErr() && refused.error.code).toBe('checkout_session_payment_in_flight')
  })

  it('is complete once that payment succeeds, also after its time', () => {
    const { next, event } = decide(paying, 'a payment succeeds', '2026-03-01T00:00:00.000Z')._unsafeUnwrap()
    expect([next.status, event]).toEqual(['complete', 'checkout_session.completed'])
  })
})

describe('a checkout session that is paid', () => {
  const paid = decidePaid(pageIn('open', 'pay_test_1'), 'pay_test_1', '2026-02-01T12:00:00.000Z')
  const { next } = paid._unsafeUnwrap()

  it('names its payment, carries none in flight, and is asked for by nobody any more', () => {
    expect(next).toMatchObject({ payment: 'pay_test_1', paying: null, due_at: null })
  })

  it('never goes back in time when the clock does', () => {
    const back = decidePaid(pageIn('open'), 'pay_test_1', '2026-01-01T00:00:00.000Z')._unsafeUnwrap().next
    expect([back.completed_at, back.changed_at]).toEqual([earlier, earlier])
  })
})

describe('a checkout session as it stands now', () => {
  it('is expired at `expires_at` and not one millisecond before, whoever looks first', () => {
    expect(asOf(pageIn('open'), '2026-02-01T23:59:59.999Z').status).toBe('open')
    expect(asOf(pageIn('open'), expires_at).status).toBe('expired')
  })

  it('stays open while a payment is in flight, however late it is', () => {
    expect(asOf(pageIn('open', 'pay_test_1'), '2026-03-01T00:00:00.000Z').status).toBe('open')
  })

  it('stays what it became', () => {
    for (const status of ['complete', 'expired'])
      expect(asOf(pageIn(status), '2026-03-01T00:00:00.000Z')).toEqual(pageIn(status))
  })

  it('waits for its time again when its payment came to nothing', () => {
    expect(releasePayment(pageIn('open', 'pay_test_1'))).toEqual(pageIn('open'))
  })
})
