import { noteInAudit } from '../audit-entries/note-in-audit.ts'
import { type DomainError, fail } from '../errors/domain-error.ts'
import { nextLookupAt } from '../kernel/lookup-schedule.ts'
import type { Units } from '../kernel/operation.ts'
import { err, ok, type Result } from '../kernel/result.ts'
import { movePayment } from './move-payment.ts'
import type { PaymentRow } from './payment.ts'
import { processorKey } from './processor-key.ts'

/**
 * Voids a bank debit that is processing, as the dashboard does: only before the processor's batch cut-off, `conflict` after it.
 * The processor is asked first: what it has voided can no longer settle. The audit log has the request, whatever the answer.
 * Not for cards: a card's charge is processing only while its outcome is unknown, and a look-up could record a success while
 * the processor voids the charge, and that success would stand.
 */
export async function voidPayment(
  units: Units,
  { id, actor }: { id: string; actor?: string },
): Promise<Result<PaymentRow, DomainError>> {
  const found = await units.work(async (unit) => {
    const payment = await unit.tx.payments.lock(id)
    if (!payment?.listed) return fail('resource_missing')
    if (payment.status !== 'processing') return fail('conflict')
    if (payment.payment_method_type === 'card')
      return fail('conflict', {
        message: 'The outcome of this charge is not known yet. Refund it once it is.',
      })
    await noteInAudit(unit, { actor, action: 'payments.void', target: id })
    // Looked up soon, in case the answer is lost.
    const asked_at = nextLookupAt(0, unit.now)
    if (payment.due_at === null || payment.due_at > asked_at)
      await unit.tx.payments.update({ ...payment, due_at: asked_at })
    return ok(payment)
  })
  if (found.isErr()) return err(found.error)
  const { processor, now: at } = units
  if (!processor) return fail('payment_provider_not_configured')
  if ((await processor.void({ key: processorKey(found.value), at })) === 'too_late')
    return fail('conflict', {
      message: 'This payment is already in a batch, or its charge is not confirmed yet.',
    })
  return units.work(async (unit) => {
    const current = await unit.tx.payments.lock(id)
    // The reconciler may have recorded the void already.
    if (current?.status === 'canceled') return ok(current)
    return movePayment(unit, id, { trigger: { on: 'voided' }, evidence: 'answer' })
  })
}
