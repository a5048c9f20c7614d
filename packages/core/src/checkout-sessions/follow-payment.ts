import type { Unit } from '../kernel/operation.ts'
import type { PaymentRow } from '../payments/payment.ts'
import type { PaymentTrigger } from '../payments/payment-machine.ts'
import { decidePaid, releasePayment } from './checkout-session-machine.ts'
import { closeCheckoutSession, saveMove } from './close-checkout-session.ts'

/**
 * Moves a checkout page along with its payment, in the same unit of work. A card payment that succeeded or a
 * bank debit that was accepted completes the page. Any other end reopens it, or expires it if its time ran out
 * meanwhile.
 */
export async function followPayment(unit: Unit, payment: PaymentRow, trigger: PaymentTrigger): Promise<void> {
  if (payment.checkout_session === null) return
  const session = await unit.tx.checkout_sessions.lock(payment.checkout_session)
  if (session?.paying !== payment.id) return
  // Only what the processor has accepted can be voided, also where its answer was lost.
  const taken = trigger.on === 'accepted' || trigger.on === 'voided'
  const accepted = payment.payment_method_type === 'us_bank_account' && taken
  if (payment.status === 'succeeded' || accepted) {
    const paid = decidePaid(session, payment.id, unit.now)
    if (paid.isOk()) await saveMove(unit, paid.value)
  } else if (payment.status !== 'processing') {
    const released = releasePayment(session)
    await unit.tx.checkout_sessions.update(released)
    if (unit.now >= released.expires_at) await closeCheckoutSession(unit, released, 'time')
  }
}
