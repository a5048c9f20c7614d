import { noteInAudit } from '../audit/note-in-audit.ts'
import { type DomainError, fail } from '../errors/domain-error.ts'
import type { Recovery } from '../kernel/operation.ts'
import { err, ok, type Result } from '../kernel/result.ts'
import { movePayment } from './move-payment.ts'
import type { PaymentRow } from './payment.ts'
import { processorKey } from './processor-key.ts'

/**
 * Voids a payment that is processing, as the dashboard does: only before the processor's batch cut-off,
 * `conflict` after. The processor is asked first; what it stopped, nothing can settle any more. That it was asked
 * is in the audit log, whatever it answers.
 */
export async function voidPayment(
  recovery: Recovery,
  { id, actor }: { id: string; actor?: string },
): Promise<Result<PaymentRow, DomainError>> {
  const found = await recovery.work(async (unit) => {
    const payment = await unit.tx.payments.get(id)
    if (!payment?.listed) return fail('resource_missing')
    if (payment.status !== 'processing') return fail('conflict')
    await noteInAudit(unit, { actor, action: 'payments.void', target: id })
    return ok(payment)
  })
  if (found.isErr()) return err(found.error)
  const answer = await recovery.processor?.void({ key: processorKey(found.value), at: recovery.now })
  if (answer !== 'voided') return fail('conflict', { message: 'The batch has this payment already.' })
  return recovery.work(async (unit) => {
    const current = await unit.tx.payments.lock(id)
    // The reconciler can learn of the void before it is recorded here.
    if (current?.status === 'canceled') return ok(current)
    return movePayment(unit, id, { trigger: { on: 'voided' }, evidence: 'answer' })
  })
}
