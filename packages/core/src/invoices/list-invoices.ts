import { query } from '../kernel/operation.ts'
import { page } from '../kernel/page.ts'
import { listOf, listQuery } from '../schema/list.ts'
import { filterText } from '../schema/text.ts'
import { invoice, invoiceStatus } from './invoice.ts'
import { showInvoice } from './show-invoice.ts'

/** `GET /invoices`: newest first, drafts excluded. */
export const listInvoices = query({
  access: { key: 'secret', scope: 'payments:read' },
  input: listQuery.extend({
    number: filterText.optional(),
    external_id: filterText.optional(),
    customer: filterText.optional(),
    status: invoiceStatus.optional(),
  }),
  output: listOf(invoice),
  errors: ['parameter_invalid'],
  run(reading, { number, external_id, customer, status, ...cursor }) {
    return page(reading.rows.invoices, cursor, {
      where: { listed: true, number, external_id, customer, status },
      show: (row) => showInvoice(row, reading),
    })
  },
})
