import type { Unit } from '../kernel/operation.ts'
import { err, ok } from '../kernel/result.ts'
import type { PaymentMethodSessionRow } from '../payment-method-sessions/payment-method-session.ts'
import {
  asOf,
  decideSessionUse,
  session_use_ms,
} from '../payment-method-sessions/payment-method-session-machine.ts'
import { shifted } from '../schema/timestamps.ts'
import type { PaymentMethodRow } from './payment-method.ts'
import { expiryOf } from './payment-method-machine.ts'

/** Makes the single payment method from a confirmed session, which must be locked. */
export async function makePaymentMethod(unit: Unit, found: PaymentMethodSessionRow) {
  const usable = decideSessionUse(asOf(found, unit.now), unit.now)
  if (usable.isErr()) return err(usable.error)
  const session = usable.value
  const method = newMethod(unit, session)
  await unit.tx.payment_methods.insert(method)
  const { tx, now } = unit
  await tx.payment_method_sessions.update({ ...session, payment_method: method.id, changed_at: now })
  return ok(method)
}

function newMethod(
  { scope, ids, now }: Unit,
  session: PaymentMethodSessionRow & { succeeded_at: string; token: string },
): PaymentMethodRow {
  const saved = session.customer !== null
  const expires_at = saved ? null : shifted(session.succeeded_at, session_use_ms)
  return {
    ...scope,
    id: ids.prefixed('payment_method', scope.livemode, Date.parse(now)),
    type: session.payment_method_types[0] ?? 'card',
    usage: saved ? 'saved' : 'one_time',
    status: 'active',
    customer: session.customer,
    session: session.id,
    card: session.card,
    us_bank_account: session.us_bank_account,
    billing_details: session.billing_details ?? { name: '', postal_code: '' },
    expires_at,
    created_at: now,
    changed_at: now,
    due_at: expiryOf({ expires_at }),
    token: session.token,
    authorized_amount: session.amount,
    terms_version: session.ach_authorization?.accepted_at ? session.ach_authorization.terms_version : null,
    charging_payment: null,
  }
}
