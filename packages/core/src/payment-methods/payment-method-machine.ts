import { fail } from '../errors/domain-error.ts'
import { ok } from '../kernel/result.ts'
import { type Transition, transitionFor } from '../kernel/transitions.ts'
import { iso, shifted } from '../schema/timestamps.ts'
import type { PaymentMethodRow, PaymentMethodStatus } from './payment-method.ts'

export type PaymentMethodTrigger = 'charged' | 'time' | 'detach'

/** A one-time method is consumed by the charge that reached the processor, a declined one too. */
export const paymentMethodTransitions = [
  { from: 'active', on: 'charged', to: 'consumed' },
  { from: 'active', on: 'time', to: 'expired' },
  { from: 'active', on: 'detach', to: 'detached' },
] as const satisfies readonly Transition<PaymentMethodStatus, PaymentMethodTrigger>[]

export function decidePaymentMethod(method: PaymentMethodRow, trigger: PaymentMethodTrigger, now: string) {
  const transition = transitionFor(paymentMethodTransitions, method.status, trigger)
  if (!transition) return fail('payment_method_unusable')
  return ok({ ...method, status: transition.to, charging_payment: null, changed_at: now, due_at: null })
}

/** Held by one payment, so that no second one charges it meanwhile; it does not expire under the charge. */
export function holdMethod(method: PaymentMethodRow, payment: string): PaymentMethodRow {
  return { ...method, charging_payment: payment, due_at: null }
}

export function releaseMethod(method: PaymentMethodRow): PaymentMethodRow {
  return { ...method, charging_payment: null, due_at: expiryOf(method) }
}

/** When time asks for a method: exactly at `expires_at` it still works, a millisecond later it does not. */
export function expiryOf({ expires_at }: Pick<PaymentMethodRow, 'expires_at'>): string | null {
  return expires_at === null ? null : shifted(expires_at, 1)
}

/** As it stands now: a one-time method is expired from the millisecond after `expires_at`, whoever looks first. */
export function asOf(method: PaymentMethodRow, now: string): PaymentMethodRow {
  const over = method.expires_at !== null && now > method.expires_at && method.charging_payment === null
  return over ? decidePaymentMethod(method, 'time', now).unwrapOr(method) : method
}

/** A card is good until the end of its expiry month. */
export function isExpired(card: { exp_month: number; exp_year: number }, now: string): boolean {
  return now >= iso(Date.UTC(card.exp_year, card.exp_month))
}
