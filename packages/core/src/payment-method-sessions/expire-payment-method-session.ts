import type { Unit } from '../kernel/operation.ts'
import { asOf } from './payment-method-session-machine.ts'

/** Saves a session that is due in its state as of now. */
export async function expirePaymentMethodSession({ tx, now }: Unit, id: string): Promise<void> {
  const session = await tx.payment_method_sessions.lock(id)
  if (session) await tx.payment_method_sessions.update(asOf(session, now))
}
