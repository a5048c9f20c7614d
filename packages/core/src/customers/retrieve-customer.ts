import { fail } from '../errors/domain-error.ts'
import { query } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { customer } from './customer.ts'

/** `GET /customers/{id}`. */
export const retrieveCustomer = query({
  access: { key: 'secret', scope: 'payments:read' },
  input: byId,
  output: customer,
  errors: ['resource_missing'],
  async run({ rows }, { id }) {
    const found = await rows.customers.get(id)
    return found ? ok(render(customer, found)) : fail('resource_missing')
  },
})
