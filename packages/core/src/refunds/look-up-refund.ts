import { nextLookupAt } from '../kernel/lookup-schedule.ts'
import type { Units } from '../kernel/operation.ts'
import { processorKey } from '../payments/processor-key.ts'
import type { Lookup, RefundState } from '../ports/processor.ts'
import type { Evidence } from '../schema/evidence.ts'
import { moveRefund, type RefundMove } from './move-refund.ts'
import type { RefundRow } from './refund.ts'
import { neverSent, triggerOf } from './refund-machine.ts'

/**
 * Asks the processor what became of a refund that stayed open, and moves it only on an authoritative answer. If nothing is
 * known yet, an intent becomes `pending`. A refund that is still `pending` is looked up again later, also if the processor does
 * not find a refund that it once accepted.
 */
export async function lookUpRefund(units: Units, id: string): Promise<RefundRow | null> {
  const refund = await units.read((rows) => rows.refunds.get(id))
  if (!refund) return null
  if (refund.status !== null && refund.status !== 'pending') return refund
  const { processor, now: at } = units
  const lookup: Lookup = (await processor?.lookup({ key: processorKey(refund), at })) ?? { kind: 'unknown' }
  if (lookup.kind === 'refund') {
    await applyRefundState(units, id, { state: lookup.state, evidence: 'lookup' })
  } else if (lookup.kind === 'not_found') {
    await move(units, id, { trigger: { on: 'unreachable', failure: neverSent }, evidence: 'not_found' })
  } else if (refund.status === null) {
    await move(units, id, { trigger: { on: 'unanswered' }, evidence: 'no_answer' })
  }
  return askAgainLater(units, id)
}

/** Applies what the processor says of a refund. A state that no longer applies is skipped. False if there is no such refund. */
export async function applyRefundState(
  units: Units,
  id: string,
  { state, evidence }: { state: RefundState; evidence: Evidence },
): Promise<boolean> {
  const moved = await move(units, id, { trigger: triggerOf(state), evidence })
  return moved.isOk() || moved.error.code !== 'resource_missing'
}

function move(units: Units, id: string, to: RefundMove) {
  return units.work((unit) => moveRefund(unit, id, to))
}

/** If it is still pending, counts the look-up and schedules the next. */
function askAgainLater(units: Units, id: string): Promise<RefundRow | null> {
  return units.write(async ({ tx, now }) => {
    const refund = await tx.refunds.lock(id)
    if (refund?.status !== 'pending' || refund.due_at === null || refund.due_at > now) return refund ?? null
    const lookups = refund.lookups + 1
    const next = { ...refund, lookups, due_at: nextLookupAt(lookups, now) }
    await tx.refunds.update(next)
    return next
  })
}
