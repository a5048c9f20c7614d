import { type DomainError, fail } from '../errors/domain-error.ts'
import type { Recovery } from '../kernel/operation.ts'
import { err, ok, type Result } from '../kernel/result.ts'
import { movePayment } from './move-payment.ts'
import type { PaymentRow } from './payment.ts'
import { processorKey } from './processor-key.ts'

/**
 * Voids a payment that is processing, as the dashboard does: only before the processor's batch cut-off,
 * `conflict` after. The processor is asked first; what it stopped, nothing can settle any more.
 */
export async function voidPayment(recovery: Recovery, id: string): Promise<Result<PaymentRow, DomainError>> {
  const found = await recovery.work(async ({ tx }) => {
    const payment = await tx.payments.get(id)
    if (!payment?.listed) return fail('resource_missing')
    return payment.status === 'processing' ? ok(payment) : fail('conflict')
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
