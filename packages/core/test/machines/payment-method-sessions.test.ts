import { describe, expect, it } from 'vitest'
import { sampleRow } from '../../../testing/src/store/sample-row.ts'
import type {
  PaymentMethodSessionRow,
  SessionStatus,
} from '../../src/payment-method-sessions/payment-method-session.ts'
import {
  asOf,
  decideSession,
  decideSessionUse,
  sessionTransitions,
} from '../../src/payment-method-sessions/payment-method-session-machine.ts'
import { describeMachine } from './describe-machine.ts'

const scope = { workspace: 'w', livemode: false }
const expires_at = '2026-02-01T12:30:00.000Z'

function sessionIn(status: string | null) {
  const columns = { status: status as SessionStatus, expires_at, due_at: expires_at }
  return sampleRow('payment_method_sessions', scope, 'pms_test_1', columns)
}

describeMachine('a payment method session', {
  statuses: ['requires_payment_method', 'succeeded', 'canceled', 'expired'],
  triggers: ['confirm', 'cancel', 'time'],
  rows: sessionTransitions,
  expected: [
    {
      from: 'requires_payment_method',
      on: 'confirm',
      to: 'succeeded',
      stamps: ['succeeded_at', 'changed_at'],
    },
    { from: 'requires_payment_method', on: 'cancel', to: 'canceled', stamps: ['canceled_at', 'changed_at'] },
    { from: 'requires_payment_method', on: 'time', to: 'expired', stamps: ['changed_at'] },
  ],
  stamps: ['succeeded_at', 'canceled_at', 'changed_at', 'created_at', 'expires_at'],
  refusal: 'payment_method_session_inactive',
  row: sessionIn,
  decide: (row, on, now) =>
    decideSession(row, on as 'confirm' | 'cancel' | 'time', now).map((next) => ({
      next: { ...row, ...next },
    })),
})

describe('an open session', () => {
  it('is open until the last millisecond before expires_at and expired at that instant', () => {
    const open = sessionIn('requires_payment_method')
    expect(asOf(open, '2026-02-01T12:29:59.999Z').status).toBe('requires_payment_method')
    expect(asOf(open, expires_at).status).toBe('expired')
  })

  it('expires only where it is open', () => {
    for (const status of ['succeeded', 'canceled', 'expired']) {
      expect(asOf(sessionIn(status), '2026-03-01T00:00:00.000Z').status).toBe(status)
    }
  })
})

describe('the use of a session', () => {
  const succeeded_at = '2026-02-01T12:00:00.000Z'
  const confirmed = { ...sessionIn('succeeded'), succeeded_at, token: 'tok_test_visa' }
  const useAt = (at: string, session: PaymentMethodSessionRow = confirmed) =>
    decideSessionUse(session, at).match(
      () => 'usable',
      ({ code }) => code,
    )

  it('is allowed exactly 30 minutes after the success and not a millisecond later', () => {
    expect(useAt('2026-02-01T12:30:00.000Z')).toBe('usable')
    expect(useAt('2026-02-01T12:30:00.001Z')).toBe('payment_method_session_inactive')
  })

  it('is refused once a method was made of it, and before it was confirmed', () => {
    expect(useAt(succeeded_at, { ...confirmed, payment_method: 'pm_test_1' })).toBe(
      'payment_method_session_used',
    )
    for (const missing of ['succeeded_at', 'token']) {
      expect(useAt(succeeded_at, { ...confirmed, [missing]: null })).toBe('payment_method_session_inactive')
    }
    for (const status of ['requires_payment_method', 'canceled', 'expired']) {
      expect(useAt(succeeded_at, sessionIn(status))).toBe('payment_method_session_inactive')
    }
  })
})
