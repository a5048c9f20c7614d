import { missing } from '../errors/domain-error.ts'
import { moveInvoiceMoney } from '../invoices/move-invoice-money.ts'
import { warnOfContradiction } from '../kernel/contradiction.ts'
import type { Unit } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import type { PaymentRow } from '../payments/payment.ts'
import type { Evidence } from '../schema/evidence.ts'
import { type RefundRow, refund as wire } from './refund.ts'
import { decideRefund, type RefundTrigger, refundContradictions } from './refund-machine.ts'

/** A move, and what it rests on. */
export interface RefundMove {
  trigger: RefundTrigger
  evidence: Evidence
}

/**
 * The only way a refund changes its status: load payment and refund under their locks, decide, save, and
 * announce. A pending refund counts against the payment's balance; a failed one gives its amount back.
 */
export async function moveRefund(unit: Unit, id: string, { trigger, evidence }: RefundMove) {
  const { tx } = unit
  // Read first, because the refund names the payment, which is locked before its refunds everywhere.
  const known = await tx.refunds.get(id)
  const payment = known && (await tx.payments.lock(known.payment))
  const refund = payment && (await tx.refunds.lock(id))
  if (!refund) return missing('refund')
  const decision = decideRefund(refund, trigger, unit.now)
  if (decision.isErr()) {
    warnOfContradiction(unit, refund, { told: trigger.on, contradictions: refundContradictions })
    return decision
  }
  const { emits } = decision.value
  const next: RefundRow = { ...decision.value.next, evidence }
  await tx.refunds.update(next)
  const refunded = withRefund(payment, refund, next)
  await tx.payments.update(refunded)
  await moveInvoiceMoney(unit, payment, refunded)
  await unit.announce({ type: emits, object: render(wire, next), at: next.changed_at })
  return ok(next)
}

function withRefund(payment: PaymentRow, before: RefundRow, after: RefundRow): PaymentRow {
  const counted = (counts(after) ? after.amount : 0) - (counts(before) ? before.amount : 0)
  const succeeded = after.status === 'succeeded' ? after.amount : 0
  return {
    ...payment,
    amount_refunded: payment.amount_refunded + counted,
    refunds_succeeded: payment.refunds_succeeded + succeeded,
  }
}

/** Whether a refund's amount counts against the payment's balance. */
function counts({ status }: RefundRow): boolean {
  return status === 'pending' || status === 'succeeded'
}
