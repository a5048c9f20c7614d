import { fail } from '../errors/domain-error.ts'
import type { EventType } from '../events/event.ts'
import { ok } from '../kernel/result.ts'
import { type Transition, transitionFor } from '../kernel/transitions.ts'
import { later } from '../schema/timestamps.ts'
import type { CheckoutSessionRow, CheckoutStatus } from './checkout-session.ts'

export type CheckoutTrigger = 'paid' | 'time' | 'expire'

/**
 * The specification's table (States and transitions: Checkout session). Its last row, where a page stays open because a
 * payment on it is in flight, is the refusal of `decideExpired`.
 */
export const checkoutTransitions = [
  { from: 'open', on: 'paid', to: 'complete', emits: 'checkout_session.completed' },
  { from: 'open', on: 'time', to: 'expired', emits: 'checkout_session.expired' },
  { from: 'open', on: 'expire', to: 'expired', emits: 'checkout_session.expired' },
] as const satisfies readonly Transition<CheckoutStatus, CheckoutTrigger, EventType>[]

/** The session after a payment completed it, which happens once. */
export function decidePaid(session: CheckoutSessionRow, payment: string, now: string) {
  const at = later(now, session.changed_at)
  return moved(session, 'paid', at).map(({ next, emits }) => ({
    next: { ...next, payment, completed_at: at, paying: null },
    emits,
  }))
}

/** The session after it was expired by the merchant or by time; refused while a payment is in flight on it. */
export function decideExpired(session: CheckoutSessionRow, trigger: 'time' | 'expire', now: string) {
  if (session.paying !== null) return fail('checkout_session_payment_in_flight')
  return moved(session, trigger, later(now, session.changed_at))
}

/** The session after its payment ended without completing it: open for another one. The caller expires it if it is time. */
export function releasePayment(session: CheckoutSessionRow): CheckoutSessionRow {
  return { ...session, paying: null, due_at: session.expires_at }
}

/**
 * The session as of `now`: from `expires_at` on an open page shows as expired, even before the sweep closes it, unless
 * a payment is in flight on it.
 */
export function asOf(session: CheckoutSessionRow, now: string): CheckoutSessionRow {
  if (now < session.expires_at) return session
  return decideExpired(session, 'time', session.expires_at).match(
    ({ next }) => next,
    () => session,
  )
}

function moved(session: CheckoutSessionRow, trigger: CheckoutTrigger, at: string) {
  const transition = transitionFor(checkoutTransitions, session.status, trigger)
  if (!transition) return fail('conflict')
  const next: CheckoutSessionRow = { ...session, status: transition.to, changed_at: at, due_at: null }
  return ok({ next, emits: transition.emits })
}
