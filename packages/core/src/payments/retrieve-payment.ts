import { fail } from '../errors/domain-error.ts'
import { query } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { payment } from './payment.ts'

/** `GET /payments/{id}`. An intent without a known outcome is refused with `resource_missing`. */
export const retrievePayment = query({
  access: { key: 'secret', scope: 'payments:read' },
  input: byId,
  output: payment,
  errors: ['resource_missing'],
  async run({ rows }, { id }) {
    const found = await rows.payments.get(id)
    return found?.listed ? ok(render(payment, found)) : fail('resource_missing')
  },
})
