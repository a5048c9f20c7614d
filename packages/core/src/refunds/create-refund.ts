import { z } from 'zod'
import { noteInAudit } from '../audit-entries/note-in-audit.ts'
import { fail, missing } from '../errors/domain-error.ts'
import { nextLookupAt } from '../kernel/lookup-schedule.ts'
import { remote, type Unit } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import type { PaymentRow } from '../payments/payment.ts'
import { processorKey } from '../payments/processor-key.ts'
import type { RefundAnswer } from '../ports/processor.ts'
import { evidenceOf } from '../schema/evidence.ts'
import { idParameter } from '../schema/ids.ts'
import { metadata } from '../schema/metadata.ts'
import { amount } from '../schema/money.ts'
import { descriptionText } from '../schema/text.ts'
import { lookUpRefund } from './look-up-refund.ts'
import { moveRefund } from './move-refund.ts'
import { type RefundRow, refund } from './refund.ts'
import { triggerOf } from './refund-machine.ts'

const input = z.strictObject({
  payment: idParameter,
  amount: amount.optional(),
  reason: descriptionText.optional(),
  metadata: metadata.optional(),
})
type Input = z.output<typeof input>

/**
 * `POST /refunds`: gives back a part of a payment, or all that is left. Only one refund of a payment can be in flight at a
 * time. If no answer comes, the refund is `pending` and the processor is asked later.
 */
export const createRefund = remote({
  access: { key: 'secret', scope: 'payments:write' },
  needs: 'refunds_enabled',
  idempotency_key: 'required',
  input,
  output: refund,
  errors: [
    'refunds_disabled',
    'parameter_invalid',
    'resource_missing',
    'payment_provider_not_configured',
    'payment_not_refundable',
    'refund_in_flight',
    'refund_amount_exceeds_balance',
    'refund_failed',
  ],

  async reserve(unit, input) {
    const payment = await unit.tx.payments.lock(input.payment)
    if (!payment?.listed) return missing('payment')
    if (!unit.processor) return fail('payment_provider_not_configured')
    if (payment.status !== 'succeeded') return fail('payment_not_refundable')
    const [under_way] = await unit.tx.refunds.page({ where: { pending_of: payment.id }, limit: 1 })
    if (under_way) return fail('refund_in_flight')
    const left = payment.amount - payment.amount_refunded
    const asked = input.amount ?? left
    if (asked > left || left === 0) return fail('refund_amount_exceeds_balance', { param: 'amount' })
    const intent = newRefund(unit, payment, { ...input, amount: asked })
    await unit.tx.refunds.insert(intent)
    await noteInAudit(unit, { actor: unit.caller.actor, action: 'refunds.create', target: intent.id })
    return ok(intent)
  },

  async call({ processor, now }, intent): Promise<RefundAnswer> {
    // `reserve` has refused this.
    if (!processor) return { kind: 'unreachable' }
    const { workspace, payment, amount, currency } = intent
    const charge_key = processorKey({ workspace, id: payment })
    return processor.refund({ key: processorKey(intent), charge_key, amount, currency, at: now })
  },

  // If the reconciler or a notification recorded the outcome before this answer arrived, that outcome stands.
  async record(unit, intent, answer) {
    const move = { trigger: triggerOf(answer), evidence: evidenceOf(answer) }
    const moved = (await moveRefund(unit, intent.id, move)).unwrapOr(null)
    return ok(moved ?? (await unit.tx.refunds.get(intent.id)) ?? intent)
  },

  answer(kept) {
    if (kept.status !== 'failed') return ok(render(refund, kept))
    return fail('refund_failed', {
      extra: { refund: kept.id, failure_code: kept.failure?.code ?? 'unknown' },
    })
  },

  unanswered: { kind: 'unanswered' },
  recover: lookUpRefund,
})

function newRefund(
  { scope, ids, now }: Unit,
  payment: PaymentRow,
  input: Input & { amount: number },
): RefundRow {
  return {
    ...scope,
    id: ids.prefixed('refund', scope.livemode, Date.parse(now)),
    payment: payment.id,
    status: null,
    listed: false,
    amount: input.amount,
    currency: payment.currency,
    reason: input.reason ?? null,
    metadata: input.metadata ?? {},
    failure: null,
    created_at: now,
    succeeded_at: null,
    failed_at: null,
    changed_at: now,
    due_at: nextLookupAt(0, now),
    pending_of: payment.id,
    lookups: 0,
    evidence: null,
  }
}
