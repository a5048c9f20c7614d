import { fail } from '../errors/domain-error.ts'
import { moveInvoiceMoney } from '../invoices/move-invoice-money.ts'
import { nextLookupAt } from '../kernel/lookup-schedule.ts'
import type { Context, Unit } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { ach_terms } from '../payment-method-sessions/ach-terms.ts'
import type { PaymentMethodRow } from '../payment-methods/payment-method.ts'
import { holdMethod, isExpired } from '../payment-methods/payment-method-machine.ts'
import type { ChargeAnswer } from '../ports/processor.ts'
import { evidenceOf } from '../schema/evidence.ts'
import { lookUpPayment } from './look-up-payment.ts'
import { movePayment } from './move-payment.ts'
import { type PaymentRow, payment as wire } from './payment.ts'
import { neverSent, triggersOf } from './payment-machine.ts'
import { processorKey } from './processor-key.ts'

/** The codes that reserving and making a charge can be refused with. */
export const charge_errors = [
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
] as const

/** What a charge is for. */
type ChargeTerms = Pick<PaymentRow, 'amount' | 'currency' | 'source'> & {
  [Detail in 'customer' | 'checkout_session' | 'invoice' | 'reference' | 'description' | 'metadata']?:
    | PaymentRow[Detail]
    | undefined
}

/** The parameter that is blamed if the method is another customer's. Hosted pages send only the session. */
export type OwnerParam = 'customer' | 'payment_method' | 'payment_method_session'

/** A charge that is committed but not yet sent. */
export interface ChargeIntent {
  id: string
  payment: PaymentRow
  token: string
}

/** Step 1: inserts the payment with its amount, which commits before the processor is asked for money. */
export async function reserveCharge(
  unit: Unit,
  method: PaymentMethodRow,
  terms: ChargeTerms,
  param: OwnerParam = 'payment_method_session',
) {
  const refused = refusedMethod(unit, method, terms, param)
  if (refused) return refused
  const payment = newPayment(unit, method, terms)
  await unit.tx.payments.insert(payment)
  if (method.usage === 'one_time') await unit.tx.payment_methods.update(holdMethod(method, payment.id))
  await moveInvoiceMoney(unit, null, payment)
  return ok<ChargeIntent>({ id: payment.id, payment, token: method.token })
}

/** How each operation that charges goes on after `reserveCharge`. */
export const charging = {
  call: sendCharge,
  record: recordCharge,
  answer: (kept: PaymentRow) => refusedCharge(kept) ?? ok(render(wire, kept)),
  unanswered: { kind: 'unanswered' },
  recover: lookUpPayment,
} as const

/** Step 2, with no transaction open: charges, under a key derived from the payment's id. */
async function sendCharge(
  { processor, now }: Context,
  { payment, token }: ChargeIntent,
): Promise<ChargeAnswer> {
  // Step 1 has refused this.
  if (!processor) return { kind: 'unreachable' }
  const { amount, currency, payment_method_type: type } = payment
  return processor.charge({ key: processorKey(payment), token, type, amount, currency, at: now })
}

/**
 * Step 3: records the first step that the processor's answer triggers. A bank debit is `processing` even if it was approved at
 * once: only a notification or look-up says that it has settled. If one of them recorded the outcome before this answer
 * arrived, that outcome stands.
 */
async function recordCharge(unit: Unit, { id, payment }: ChargeIntent, answer: ChargeAnswer) {
  const [trigger] = triggersOf(payment, answer)
  const moved = await movePayment(unit, id, { trigger, evidence: evidenceOf(answer) })
  return ok(moved.isOk() ? moved.value : ((await unit.tx.payments.get(id)) ?? payment))
}

/**
 * The error for a refused charge; `null` for any other. The charge is committed: only the response is a refusal. The payment of
 * an invoice's page is not an API payment, so the error does not name it.
 */
export function refusedCharge(payment: PaymentRow) {
  if (payment.status !== 'failed') return null
  // A charge that never left says nothing about the bank account.
  const of_account =
    payment.payment_method_type === 'us_bank_account' && payment.failure?.code !== neverSent.code
  const decline_code = payment.failure?.decline_code ?? 'processing_error'
  return fail(of_account ? 'bank_account_verification_failed' : 'card_declined', {
    extra: { ...(payment.source === 'api' ? { payment: payment.id } : {}), decline_code },
  })
}

/** The refusal of a method that cannot be charged on these terms; null if it can. */
function refusedMethod(
  { processor, now }: Context,
  method: PaymentMethodRow,
  terms: ChargeTerms,
  param: OwnerParam,
) {
  if (!processor?.types.includes(method.type)) return fail('payment_provider_not_configured')
  if (method.status !== 'active' || method.charging_payment !== null) return fail('payment_method_unusable')
  if (method.customer !== null && terms.customer != null && terms.customer !== method.customer) {
    const than = terms.invoice == null ? '' : ' than the invoice'
    return fail('parameter_invalid', {
      param,
      message: `The payment method belongs to another customer${than}.`,
    })
  }
  if (method.card && isExpired(method.card, now)) return fail('card_expired')
  if (method.type === 'card') return null
  if (method.terms_version === null) return fail('ach_authorization_required')
  if (!Object.hasOwn(ach_terms, method.terms_version)) return fail('ach_terms_version_unsupported')
  if (terms.currency !== 'USD') {
    return fail('parameter_invalid', { param: 'currency', message: 'A bank debit is made in USD.' })
  }
  if (method.authorized_amount !== null && method.authorized_amount !== terms.amount) {
    return fail('parameter_invalid', {
      param: 'amount',
      message: 'The amount differs from the one authorized.',
    })
  }
  return null
}

function newPayment({ scope, ids, now }: Unit, method: PaymentMethodRow, terms: ChargeTerms): PaymentRow {
  return {
    ...scope,
    id: ids.prefixed('payment', scope.livemode, Date.parse(now)),
    status: null,
    listed: false,
    amount: terms.amount,
    amount_refunded: 0,
    currency: terms.currency,
    customer: method.customer ?? terms.customer ?? null,
    payment_method: method.id,
    payment_method_type: method.type,
    checkout_session: terms.checkout_session ?? null,
    invoice: terms.invoice ?? null,
    reference: terms.reference ?? null,
    description: terms.description ?? null,
    metadata: terms.metadata ?? {},
    failure: null,
    created_at: now,
    succeeded_at: null,
    failed_at: null,
    canceled_at: null,
    returned_at: null,
    changed_at: now,
    due_at: nextLookupAt(0, now),
    source: terms.source,
    refunds_succeeded: 0,
    lookups: 0,
    evidence: null,
  }
}
