import { z } from 'zod'
import { amount, currency, sum } from '../schema/money.ts'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

export const invoiceStatus = z.enum(['open', 'paid', 'canceled'])

/** What a customer owes (specification: Invoice). All fields are always present. */
export const invoice = z.object({
  object: z.literal('invoice'),
  id: z.uuid(),
  number: z.string().nullable(),
  external_id: z.string().nullable(),
  customer: z.uuid(),
  status: invoiceStatus,
  past_due: z.boolean(),
  currency,
  total: sum,
  amount_paid: sum,
  amount_pending: sum,
  amount_due: sum,
  invoice_date: z.iso.date(),
  due_date: z.iso.date(),
  payment_url: z.url().nullable(),
  livemode: z.boolean(),
  created_at: timestamp,
})
export type Invoice = z.output<typeof invoice>

/** A link to the hosted payment page. Its token is derived from the engine's secret, so it is not stored. */
const paymentLink = z.object({
  id: z.string(),
  created_at: timestamp,
  expires_at: timestamp.nullable(),
  revoked_at: timestamp.nullable(),
})
export type PaymentLink = z.output<typeof paymentLink>

/** What a payer saves who pays all that is due on the payment page, up to and including the day `until` (UTC). */
export const earlyPaymentDiscount = z.strictObject({ amount, until: z.iso.date() })

export const invoiceRow = invoice
  .omit({ object: true, past_due: true, amount_due: true, payment_url: true })
  .extend({
    ...scopedRow,
    status: z.enum([...invoiceStatus.options, 'draft']),
    /** False while a draft. */
    listed: z.boolean(),
    written_off: sum,
    /** Whether a payment ever settled on it here. If so, its ledger no longer decides `amount_paid`. */
    paid_here: z.boolean(),
    /** Taken by at most one payment. While that payment stands, the discount is part of `written_off`. */
    early_payment_discount: earlyPaymentDiscount.extend({ taken_by: z.string().nullable() }).nullable(),
    /** Every link ever made, oldest first. The newest that works is the one shown. */
    links: z.array(paymentLink),
    changed_at: timestamp,
  })
export type InvoiceRow = z.output<typeof invoiceRow>
