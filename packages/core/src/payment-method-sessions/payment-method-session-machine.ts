import { fail } from '../errors/domain-error.ts'
import { ok } from '../kernel/result.ts'
import { type Transition, transitionFor } from '../kernel/transitions.ts'
import { minute_ms, shifted } from '../schema/timestamps.ts'
import type { PaymentMethodSessionRow, SessionStatus } from './payment-method-session.ts'

export type SessionTrigger = 'create' | 'confirm' | 'cancel' | 'time'

/** The specification's table (States and transitions: Payment method session). */
export const sessionTransitions = [
  { from: null, on: 'create', to: 'requires_payment_method' },
  { from: 'requires_payment_method', on: 'time', to: 'expired' },
  // Beyond the table: the specification does not show them.
  { from: 'requires_payment_method', on: 'confirm', to: 'succeeded' },
  { from: 'requires_payment_method', on: 'cancel', to: 'canceled' },
] as const satisfies readonly Transition<SessionStatus, SessionTrigger>[]

/** How long a session stays open (specification: Limits). */
export const session_lifetime_ms = 30 * minute_ms

/** How long after its success a session, and a one-time method made from it, can be used (specification: Limits). */
export const session_use_ms = 30 * minute_ms

/** The session after a trigger; `payment_method_session_inactive` if the table has no such row. */
export function decideSession(
  session: PaymentMethodSessionRow,
  trigger: Exclude<SessionTrigger, 'create'>,
  now: string,
) {
  const transition = transitionFor(sessionTransitions, session.status, trigger)
  if (!transition) return fail('payment_method_session_inactive')
  return ok({
    ...session,
    status: transition.to,
    changed_at: now,
    due_at: null,
    ...(trigger === 'confirm' ? { succeeded_at: now } : {}),
    ...(trigger === 'cancel' ? { canceled_at: now } : {}),
  })
}

/** The session as of `now`: from `expires_at` on an open one shows as expired, even before the sweep expires it. */
export function asOf(session: PaymentMethodSessionRow, now: string): PaymentMethodSessionRow {
  return now >= session.expires_at
    ? decideSession(session, 'time', session.expires_at).unwrapOr(session)
    : session
}

/** Whether a payment or payment method can be made from a session: it succeeded at most 30 minutes ago and is unused. */
export function decideSessionUse(session: PaymentMethodSessionRow, now: string) {
  if (session.payment_method !== null) return fail('payment_method_session_used')
  if (session.succeeded_at === null || session.token === null) return fail('payment_method_session_inactive')
  if (now > shifted(session.succeeded_at, session_use_ms)) return fail('payment_method_session_inactive')
  return ok({ ...session, succeeded_at: session.succeeded_at, token: session.token })
}
