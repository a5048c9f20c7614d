import { fail } from '../errors/domain-error.ts'
import { query } from '../kernel/operation.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { invoice } from './invoice.ts'
import { showInvoice } from './show-invoice.ts'

/** `GET /invoices/{id}`. A draft is refused with `resource_missing`. */
export const retrieveInvoice = query({
  access: { key: 'secret', scope: 'payments:read' },
  input: byId,
  output: invoice,
  errors: ['resource_missing'],
  async run(reading, { id }) {
    const found = await reading.rows.invoices.get(id)
    return found?.listed ? ok(showInvoice(found, reading)) : fail('resource_missing')
  },
})
