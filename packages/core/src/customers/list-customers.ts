import { query } from '../kernel/operation.ts'
import { page } from '../kernel/page.ts'
import { render } from '../kernel/render.ts'
import { listOf, listQuery } from '../schema/list.ts'
import { filterText } from '../schema/text.ts'
import { customer } from './customer.ts'

/** `GET /customers`: newest first. A `reference` matches at most one. */
export const listCustomers = query({
  access: { key: 'secret', scope: 'payments:read' },
  input: listQuery.extend({ reference: filterText.optional() }),
  output: listOf(customer),
  errors: ['parameter_invalid'],
  run({ rows }, { reference, ...cursor }) {
    return page(rows.customers, cursor, { where: { reference }, show: (row) => render(customer, row) })
  },
})
