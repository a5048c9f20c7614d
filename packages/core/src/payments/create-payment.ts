import { z } from 'zod'
import { fail, missing } from '../errors/domain-error.ts'
import type { InvoiceRow } from '../invoices/invoice.ts'
import { amountDue } from '../invoices/invoice-machine.ts'
import { remote, type Unit } from '../kernel/operation.ts'
import { err, ok } from '../kernel/result.ts'
import { makePaymentMethod } from '../payment-methods/make-payment-method.ts'
import { asOf } from '../payment-methods/payment-method-machine.ts'
import { idParameter } from '../schema/ids.ts'
import { metadata } from '../schema/metadata.ts'
import { amount, currencyParameter } from '../schema/money.ts'
import { descriptionText, referenceText } from '../schema/text.ts'
import { charge_errors, charging, type OwnerParam, reserveCharge } from './charge.ts'
import { payment } from './payment.ts'

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
 * `POST /payments`: charges a confirmed session's method, or an existing one. The intent is committed before the processor is
 * asked, no transaction is open during the call, and the outcome is committed together with its event, its deliveries and the
 * stored response. If no answer comes, the payment is `processing`.
 */
export const createPayment = remote({
  access: { key: 'secret', scope: 'payments:write' },
  refuses: 'payment details in the clear',
  idempotency_key: 'required',
  input,
  output: payment,
  errors: charge_errors,

  async reserve(unit, input) {
    // Together, so that a remote store answers in one round trip; an invoice is always locked before a method.
    const [customer, invoice, charged] = await Promise.all([
      input.customer === undefined ? null : unit.tx.customers.get(input.customer),
      input.invoice === undefined ? null : unit.tx.invoices.lock(input.invoice),
      lockCharged(unit, input),
    ])
    // null: not named in the request; undefined: named, but missing.
    if (customer === undefined) return missing('customer')
    if (invoice !== null && !invoice?.listed) return missing('invoice')
    const { payment_method, payment_method_session: _session, ...terms } = input
    if (!charged) return missing(payment_method === undefined ? 'payment_method_session' : 'payment_method')
    const refused = refusedInvoice(invoice, input)
    if (refused) return refused
    // Only a payment method has a `usage`; a session yields one.
    const method = 'usage' in charged ? ok(asOf(charged, unit.now)) : await makePaymentMethod(unit, charged)
    if (method.isErr()) return err(method.error)
    const owner = customer?.id ?? invoice?.customer
    return reserveCharge(unit, method.value, { ...terms, customer: owner, source: 'api' }, ownerParam(input))
  },

  ...charging,
})

/** `customer`, if the request has it. Otherwise the method is not of the invoice's customer: blame the method. */
function ownerParam({ customer, payment_method }: Input): OwnerParam {
  if (customer !== undefined) return 'customer'
  return payment_method === undefined ? 'payment_method_session' : 'payment_method'
}

/** The method named, or the session that yields one. */
function lockCharged({ tx }: Unit, { payment_method, payment_method_session = '' }: Input) {
  if (payment_method !== undefined) return tx.payment_methods.lock(payment_method)
  return tx.payment_method_sessions.lock(payment_method_session)
}

/** The refusal of an invoice that cannot be paid like this; null if it can, or if none is named. */
function refusedInvoice(invoice: InvoiceRow | null, input: Input) {
  if (invoice === null) return null
  if (input.customer !== undefined && input.customer !== invoice.customer) {
    return fail('parameter_invalid', { param: 'customer', message: "The invoice is another customer's." })
  }
  if (invoice.currency !== input.currency) {
    return fail('parameter_invalid', { param: 'currency', message: 'The invoice is in another currency.' })
  }
  if (input.amount > amountDue(invoice)) {
    return fail('parameter_invalid', {
      param: 'amount',
      message: 'The amount exceeds what is due on the invoice.',
    })
  }
  return null
}
