import type { EventType } from '../events/event.ts'
import type { Unit } from '../kernel/operation.ts'
import { ok } from '../kernel/result.ts'
import type { CheckoutSessionRow } from './checkout-session.ts'
import { decideExpired } from './checkout-session-machine.ts'
import { showCheckoutSession } from './show-checkout-session.ts'

/** Closes an unpaid page and announces it; refused while a payment is in flight on it. */
export async function closeCheckoutSession(
  unit: Unit,
  session: CheckoutSessionRow,
  trigger: 'time' | 'expire',
) {
  const decision = decideExpired(session, trigger, unit.now)
  return decision.isErr() ? decision : ok(await saveMove(unit, decision.value))
}

/** Saves a session that has moved, announces it, and gives it as the API shows it. */
export async function saveMove(unit: Unit, { next, emits }: { next: CheckoutSessionRow; emits: EventType }) {
  await unit.tx.checkout_sessions.update(next)
  const object = showCheckoutSession(next, unit)
  await unit.announce({ type: emits, object, at: next.changed_at })
  return object
}

/** Closes a session that is due, if its time is over and nobody is paying. */
export async function closeIfOver(unit: Unit, id: string): Promise<void> {
  const session = await unit.tx.checkout_sessions.lock(id)
  if (session?.status === 'open' && unit.now >= session.expires_at)
    await closeCheckoutSession(unit, session, 'time')
}
