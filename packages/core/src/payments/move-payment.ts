import { followPayment } from '../checkout-sessions/follow-payment.ts'
import { missing } from '../errors/domain-error.ts'
import { moveInvoiceMoney } from '../invoices/move-invoice-money.ts'
import { warnOfContradiction } from '../kernel/contradiction.ts'
import type { Unit } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { decidePaymentMethod, releaseMethod } from '../payment-methods/payment-method-machine.ts'
import type { Evidence } from '../schema/evidence.ts'
import { type PaymentRow, payment as wire } from './payment.ts'
import { decidePayment, type PaymentTrigger, paymentContradictions } from './payment-machine.ts'

/** A move, and what it rests on. */
export interface PaymentMove {
  trigger: PaymentTrigger
  evidence: Evidence
}

/**
 * The only way a payment changes its status: load under the lock, decide, save, and announce, with everything
 * that must commit with it. `conflict`, and nothing written, if the trigger does not apply (any more).
 */
export async function movePayment(unit: Unit, id: string, { trigger, evidence }: PaymentMove) {
  const payment = await unit.tx.payments.lock(id)
  if (!payment) return missing('payment')
  const decision = decidePayment(payment, trigger, unit.now)
  if (decision.isErr()) {
    warnOfContradiction(unit, payment, { told: trigger.on, contradictions: paymentContradictions })
    return decision
  }
  const { emits } = decision.value
  const next: PaymentRow = { ...decision.value.next, evidence }
  await unit.tx.payments.update(next)
  // Together, so that a remote store answers the reads of all three in one round trip. The invoice is locked before the
  // method, as when a charge is reserved.
  await Promise.all([
    moveInvoiceMoney(unit, payment, next),
    spendMethod(unit, next, trigger),
    emits && unit.announce({ type: emits, object: render(wire, next), at: next.changed_at }),
  ])
  await followPayment(unit, next, trigger)
  return ok(next)
}

/**
 * A one-time method is spent by a charge that reached the processor, even a declined one, and is freed if the charge
 * provably did not. While nobody knows, the payment holds it.
 */
async function spendMethod(unit: Unit, payment: PaymentRow, trigger: PaymentTrigger) {
  if (trigger.on === 'unanswered') return
  const method = await unit.tx.payment_methods.lock(payment.payment_method)
  if (method?.charging_payment !== payment.id) return
  const freed = releaseMethod(method)
  const spent =
    trigger.on === 'unreachable' ? freed : decidePaymentMethod(method, 'charged', unit.now).unwrapOr(freed)
  await unit.tx.payment_methods.update(spent)
}
