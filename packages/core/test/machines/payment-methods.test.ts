import { describe, expect, it } from 'vitest'
import { sampleRow } from '../../../testing/src/store/sample-row.ts'
import type { PaymentMethodStatus } from '../../src/payment-methods/payment-method.ts'
import {
  asOf,
  decidePaymentMethod,
  holdMethod,
  isExpired,
  type PaymentMethodTrigger,
  paymentMethodTransitions,
  releaseMethod,
} from '../../src/payment-methods/payment-method-machine.ts'
import { describeMachine } from './describe-machine.ts'

const scope = { workspace: 'w', livemode: false }
const expires_at = '2026-02-01T12:30:00.000Z'

function methodIn(status: string | null) {
  const columns = { status: status as PaymentMethodStatus, expires_at, due_at: expires_at }
  return sampleRow('payment_methods', scope, 'pm_test_1', columns)
}

describeMachine('a payment method', {
  statuses: ['active', 'consumed', 'expired', 'detached'],
  triggers: ['charged', 'time', 'detach'],
  rows: paymentMethodTransitions,
  expected: [
    { from: 'active', on: 'charged', to: 'consumed', stamps: ['changed_at'] },
    { from: 'active', on: 'time', to: 'expired', stamps: ['changed_at'] },
    { from: 'active', on: 'detach', to: 'detached', stamps: ['changed_at'] },
  ],
  stamps: ['changed_at', 'created_at', 'expires_at'],
  refusal: 'payment_method_unusable',
  row: methodIn,
  decide: (row, on, now) =>
    decidePaymentMethod(row, on as PaymentMethodTrigger, now).map((next) => ({ next: { ...row, ...next } })),
})

describe('a one-time method', () => {
  it('still works at exactly expires_at and is expired a millisecond later', () => {
    expect(asOf(methodIn('active'), expires_at).status).toBe('active')
    expect(asOf(methodIn('active'), '2026-02-01T12:30:00.001Z').status).toBe('expired')
  })

  it('is not expired under the charge that is running', () => {
    const charging = { ...methodIn('active'), charging_payment: 'pay_test_1' }
    expect(asOf(charging, '2026-02-02T00:00:00.000Z').status).toBe('active')
  })

  it('is asked for by time in that millisecond, and by nobody while a charge holds it', () => {
    const held = holdMethod(methodIn('active'), 'pay_test_1')
    expect(held).toEqual({ ...methodIn('active'), charging_payment: 'pay_test_1', due_at: null })
    expect(releaseMethod(held)).toEqual({ ...methodIn('active'), due_at: '2026-02-01T12:30:00.001Z' })
  })

  it('stays consumed or detached when its time is over', () => {
    for (const status of ['consumed', 'detached']) {
      expect(asOf(methodIn(status), '2026-02-02T00:00:00.000Z').status).toBe(status)
    }
  })

  it('never expires where it is saved', () => {
    const saved = { ...methodIn('active'), expires_at: null }
    expect(asOf(saved, '2036-01-01T00:00:00.000Z').status).toBe('active')
    expect(releaseMethod(saved).due_at).toBeNull()
  })
})

describe('a card', () => {
  it.each([
    [{ exp_month: 1, exp_year: 2026 }, '2026-01-31T23:59:59.999Z', false],
    [{ exp_month: 1, exp_year: 2026 }, '2026-02-01T00:00:00.000Z', true],
    [{ exp_month: 12, exp_year: 2026 }, '2026-12-31T23:59:59.999Z', false],
    [{ exp_month: 12, exp_year: 2026 }, '2027-01-01T00:00:00.000Z', true],
    [{ exp_month: 2, exp_year: 2028 }, '2028-02-29T23:59:59.999Z', false],
  ])('%o is good until the end of its expiry month: at %s expired is %s', (card, at, expired) => {
    expect(isExpired(card, at)).toBe(expired)
  })
})
