import { fail } from '../errors/domain-error.ts'
import { ok } from '../kernel/result.ts'
import { type Transition, transitionFor } from '../kernel/transitions.ts'
import { iso, shifted } from '../schema/timestamps.ts'
import type { PaymentMethodRow, PaymentMethodStatus } from './payment-method.ts'

export type PaymentMethodTrigger = 'charged' | 'time' | 'detach'

/**
 * The specification shows no table (States and transitions: Payment method). A one-time method is consumed by a charge
 * that reached the processor, even a declined one.
 */
export const paymentMethodTransitions = [
  { from: 'active', on: 'charged', to: 'consumed' },
  { from: 'active', on: 'time', to: 'expired' },
  { from: 'active', on: 'detach', to: 'detached' },
] as const satisfies readonly Transition<PaymentMethodStatus, PaymentMethodTrigger>[]

/** The method after a trigger; `payment_method_unusable` if the table has no such row. */
export function decidePaymentMethod(method: PaymentMethodRow, trigger: PaymentMethodTrigger, now: string) {
  const transition = transitionFor(paymentMethodTransitions, method.status, trigger)
  if (!transition) return fail('payment_method_unusable')
  return ok({ ...method, status: transition.to, charging_payment: null, changed_at: now, due_at: null })
}

/** Reserves the method for one payment: meanwhile no other payment can charge it, and it does not expire. */
export function holdMethod(method: PaymentMethodRow, payment: string): PaymentMethodRow {
  return { ...method, charging_payment: payment, due_at: null }
}

export function releaseMethod(method: PaymentMethodRow): PaymentMethodRow {
  return { ...method, charging_payment: null, due_at: expiryOf(method) }
}

/** When a method falls due: at `expires_at` itself it still works, a millisecond later it does not. */
export function expiryOf({ expires_at }: Pick<PaymentMethodRow, 'expires_at'>): string | null {
  return expires_at === null ? null : shifted(expires_at, 1)
}

/** The method as of `now`: after `expires_at` a one-time method shows as expired, even before the sweep. */
export function asOf(method: PaymentMethodRow, now: string): PaymentMethodRow {
  const over = method.expires_at !== null && now > method.expires_at && method.charging_payment === null
  return over ? decidePaymentMethod(method, 'time', now).unwrapOr(method) : method
}

/** A card is good until the end of its expiry month. */
export function isExpired(card: { exp_month: number; exp_year: number }, now: string): boolean {
  return now >= iso(Date.UTC(card.exp_year, card.exp_month))
}
