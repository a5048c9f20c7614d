import { nextLookupAt } from '../kernel/lookup-schedule.ts'
import type { Units } from '../kernel/operation.ts'
import type { ChargeState, Lookup } from '../ports/processor.ts'
import type { Evidence } from '../schema/evidence.ts'
import { movePayment, type PaymentMove } from './move-payment.ts'
import type { PaymentRow } from './payment.ts'
import { neverSent, triggersOf } from './payment-machine.ts'
import { processorKey } from './processor-key.ts'

/**
 * Asks the processor what became of a payment that stayed open, and moves it only on an authoritative answer: found, or not
 * found for good. If nothing is known yet, an intent becomes `processing`. A payment that is still `processing` is looked up
 * again later, also if the processor does not find a charge that it once accepted.
 */
export async function lookUpPayment(units: Units, id: string): Promise<PaymentRow | null> {
  const payment = await units.read((rows) => rows.payments.get(id))
  if (!payment) return null
  if (payment.status !== null && payment.status !== 'processing') return payment
  const { processor, now: at } = units
  const lookup: Lookup = (await processor?.lookup({ key: processorKey(payment), at })) ?? { kind: 'unknown' }
  if (lookup.kind === 'charge') {
    await applyChargeState(units, id, { state: lookup.state, evidence: 'lookup' })
  } else if (lookup.kind === 'not_found') {
    await move(units, id, { trigger: { on: 'unreachable', failure: neverSent }, evidence: 'not_found' })
  } else if (payment.status === null) {
    await move(units, id, { trigger: { on: 'unanswered' }, evidence: 'no_answer' })
  }
  return askAgainLater(units, id)
}

/**
 * Applies what the processor says of a charge, one unit of work per step. Steps that no longer apply are skipped. False if
 * there is no such payment.
 */
export async function applyChargeState(
  units: Units,
  id: string,
  { state, evidence }: { state: ChargeState; evidence: Evidence },
): Promise<boolean> {
  const payment = await units.read((rows) => rows.payments.get(id))
  if (!payment) return false
  for (const trigger of triggersOf(payment, state)) await move(units, id, { trigger, evidence })
  return true
}

async function move(units: Units, id: string, to: PaymentMove): Promise<void> {
  await units.work((unit) => movePayment(unit, id, to))
}

/** If it is still processing, counts the look-up and schedules the next. */
function askAgainLater(units: Units, id: string): Promise<PaymentRow | null> {
  return units.write(async ({ tx, now }) => {
    const payment = await tx.payments.lock(id)
    if (payment?.status !== 'processing' || payment.due_at === null || payment.due_at > now)
      return payment ?? null
    const lookups = payment.lookups + 1
    const next = { ...payment, lookups, due_at: nextLookupAt(lookups, now) }
    await tx.payments.update(next)
    return next
  })
}
