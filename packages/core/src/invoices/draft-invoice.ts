import { z } from 'zod'
import { fail, missing } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { ok } from '../kernel/result.ts'
import { amount, currency } from '../schema/money.ts'
import { filterText } from '../schema/text.ts'
import type { InvoiceRow } from './invoice.ts'

/** A draft: not listed, and nothing can be paid on it, until it is sent or scheduled. */
export const draftInvoice = action({
  input: z.strictObject({
    customer: z.string(),
    number: filterText.nullable().default(null),
    external_id: filterText.nullable().default(null),
    currency,
    total: amount,
    invoice_date: z.iso.date(),
    due_date: z.iso.date(),
  }),
  async run({ tx, scope, ids, now }, input) {
    if (!(await tx.customers.get(input.customer))) return missing('customer')
    const row: InvoiceRow = {
      ...scope,
      id: ids.uuid(Date.parse(now)),
      ...input,
      status: 'draft',
      listed: false,
      amount_paid: 0,
      amount_pending: 0,
      written_off: 0,
      links: [],
      created_at: now,
      changed_at: now,
    }
    return (await tx.invoices.insertNew(row)) ? ok({ id: row.id }) : fail('conflict')
  },
})
