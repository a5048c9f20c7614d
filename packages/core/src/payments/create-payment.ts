import { z } from 'zod'
import { fail, missing } from '../errors/domain-error.ts'
import { type Circumstances, remote, type Unit } from '../kernel/operation.ts'
import { err, ok } from '../kernel/result.ts'
import { ach_terms } from '../payment-method-sessions/ach-terms.ts'
import { makePaymentMethod } from '../payment-methods/make-payment-method.ts'
import type { PaymentMethodRow } from '../payment-methods/payment-method.ts'
import { asOf, isExpired } from '../payment-methods/payment-method-machine.ts'
import type { ChargeAnswer } from '../ports/processor.ts'
import { idParameter } from '../schema/ids.ts'
import { metadata } from '../schema/metadata.ts'
import { amount, currencyParameter } from '../schema/money.ts'
import { descriptionText, referenceText } from '../schema/text.ts'
import { movePayment, showPayment } from './move-payment.ts'
import { type PaymentRow, payment } from './payment.ts'
import { nextLookupAt } from './payment-machine.ts'
import { triggerOf } from './processor-answers.ts'
import { processorKey } from './processor-key.ts'
import { settlePayment } from './settle-payment.ts'

const input = z
  .strictObject({
    amount,
    currency: currencyParameter,
    payment_method_session: idParameter.optional(),
    payment_method: idParameter.optional(),
    customer: idParameter.optional(),
    invoice: idParameter.optional(),
    reference: referenceText.optional(),
    description: descriptionText.optional(),
    metadata: metadata.optional(),
  })
  .refine(({ payment_method, payment_method_session }) => !payment_method !== !payment_method_session, {
    path: ['payment_method'],
    message: 'Name either a payment_method_session or a payment_method.',
  })
type Input = z.output<typeof input>

/**
 * `POST /payments`: charges a confirmed session's method, or one made before. The intent is committed before
 * the processor is asked, no transaction is open while it answers, and what it answered is committed together
 * with its event, its deliveries and the stored answer. An answer that never came leaves it `processing`.
 */
export const createPayment = remote({
  access: { key: 'secret', scope: 'payments:write' },
  collects: 'payment details',
  idempotency_key: 'required',
  input,
  output: payment,
  errors: [
    'parameter_invalid',
    'resource_missing',
    'payment_provider_not_configured',
    'payment_method_session_inactive',
    'payment_method_session_used',
    'payment_method_unusable',
    'ach_authorization_required',
    'ach_terms_version_unsupported',
    'card_expired',
    'card_declined',
    'bank_account_verification_failed',
    'conflict',
  ],

  async reserve(unit, input) {
    if (input.customer !== undefined && !(await unit.tx.customers.get(input.customer))) return missing('customer')
    if (input.invoice !== undefined) return missing('invoice')
    const found = await findMethod(unit, input)
    if (found.isErr()) return err(found.error)
    const method = found.value
    const chargeable = decideChargeable(unit, method, input)
    if (chargeable.isErr()) return err(chargeable.error)

    const intent = newPayment(unit, input, method)
    await unit.tx.payments.insert(intent)
    if (method.usage === 'one_time') await unit.tx.payment_methods.update({ ...method, charging_payment: intent.id })
    return ok({ id: intent.id, payment: intent, token: method.token })
  },

  async call({ processor, now }, { payment, token }): Promise<ChargeAnswer> {
    if (!processor) return { kind: 'unreachable' }
    const { amount, currency, payment_method_type: type } = payment
    return processor.charge({ key: processorKey(payment), token, type, amount, currency, at: now })
  },

  async record(unit, { id }, answer) {
    const current = await unit.tx.payments.lock(id)
    // The reconciler or a notification can know the outcome before our own answer arrives.
    if (current && current.status !== null) return ok(current)
    const evidence = answer.kind === 'unreachable' ? 'never_sent' : 'answer'
    return movePayment(unit, id, { trigger: triggerOf(answer), evidence })
  },

  answer(kept) {
    if (kept.status !== 'failed') return ok(showPayment(kept))
    const card = kept.payment_method_type === 'card' || kept.failure?.code === 'processor_unreachable'
    const code = card ? 'card_declined' : 'bank_account_verification_failed'
    return fail(code, { extra: { payment: kept.id, decline_code: kept.failure?.decline_code ?? 'processing_error' } })
  },

  recover: settlePayment,
})

/** The method to charge: the one named, or the one made now of the session named. */
async function findMethod(unit: Unit, { payment_method, payment_method_session }: Input) {
  if (payment_method !== undefined) {
    const method = await unit.tx.payment_methods.lock(payment_method)
    return method ? ok(asOf(method, unit.now)) : missing('payment_method')
  }
  const session = await unit.tx.payment_method_sessions.lock(payment_method_session ?? '')
  return session ? makePaymentMethod(unit, session) : missing('payment_method_session')
}

/** Everything that must be true of a method before money is asked of it. */
function decideChargeable({ processor, now }: Circumstances, method: PaymentMethodRow, input: Input) {
  if (!processor?.types.includes(method.type)) return fail('payment_provider_not_configured')
  if (method.status !== 'active' || method.charging_payment !== null) return fail('payment_method_unusable')
  if (method.customer !== null && input.customer !== undefined && input.customer !== method.customer) {
    return fail('parameter_invalid', { param: 'customer', message: 'The payment method belongs to another customer.' })
  }
  if (method.card && isExpired(method.card, now)) return fail('card_expired')
  if (method.type === 'card') return ok(method)
  if (method.terms_version === null) return fail('ach_authorization_required')
  if (!(method.terms_version in ach_terms)) return fail('ach_terms_version_unsupported')
  if (input.currency !== 'USD') {
    return fail('parameter_invalid', { param: 'currency', message: 'A bank debit is made in USD.' })
  }
  if (method.authorized_amount !== null && method.authorized_amount !== input.amount) {
    return fail('parameter_invalid', { param: 'amount', message: 'The amount differs from the one authorized.' })
  }
  return ok(method)
}

function newPayment({ scope, ids, now }: Unit, input: Input, method: PaymentMethodRow): PaymentRow {
  return {
    ...scope,
    id: ids.prefixed('payment', scope.livemode, Date.parse(now)),
    status: null,
    listed: false,
    amount: input.amount,
    amount_refunded: 0,
    currency: input.currency,
    customer: method.customer ?? input.customer ?? null,
    payment_method: method.id,
    payment_method_type: method.type,
    checkout_session: null,
    invoice: null,
    reference: input.reference ?? null,
    description: input.description ?? null,
    metadata: input.metadata ?? {},
    failure: null,
    created_at: now,
    succeeded_at: null,
    failed_at: null,
    canceled_at: null,
    returned_at: null,
    changed_at: now,
    due_at: nextLookupAt(0, now),
    lookups: 0,
    evidence: null,
  }
}
