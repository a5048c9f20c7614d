import { z } from 'zod'
import { fail, missing } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { ok } from '../kernel/result.ts'
import { amount, currency } from '../schema/money.ts'
import { filterText } from '../schema/text.ts'
import { earlyPaymentDiscount, type InvoiceRow } from './invoice.ts'

/** A draft. Until it is sent or scheduled, it is not listed and cannot be paid. */
export const draftInvoice = action({
  input: z.strictObject({
    customer: z.string(),
    number: filterText.nullable().default(null),
    external_id: filterText.nullable().default(null),
    currency,
    total: amount,
    invoice_date: z.iso.date(),
    due_date: z.iso.date(),
    /** An extension. An amount rather than a percentage, so that whoever drafts the invoice decides the rounding. */
    early_payment_discount: earlyPaymentDiscount.nullable().default(null),
  }),
  async run({ tx, scope, ids, now }, input) {
    if (!(await tx.customers.get(input.customer))) return missing('customer')
    const { early_payment_discount: discount } = input
    if (discount !== null && discount.amount >= input.total)
      return fail('parameter_invalid', { param: 'early_payment_discount.amount' })
    const row: InvoiceRow = {
      ...scope,
      id: ids.uuid(Date.parse(now)),
      ...input,
      status: 'draft',
      listed: false,
      amount_paid: 0,
      amount_pending: 0,
      written_off: 0,
      paid_here: false,
      early_payment_discount: discount && { ...discount, taken_by: null },
      links: [],
      created_at: now,
      changed_at: now,
    }
    return (await tx.invoices.insertNew(row)) ? ok({ id: row.id }) : fail('conflict')
  },
})
