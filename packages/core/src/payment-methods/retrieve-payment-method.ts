import { fail } from '../errors/domain-error.ts'
import { query } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { paymentMethod } from './payment-method.ts'
import { asOf } from './payment-method-machine.ts'

/** `GET /payment-methods/{id}`. */
export const retrievePaymentMethod = query({
  access: { key: 'secret', scope: 'payment_methods:read' },
  input: byId,
  output: paymentMethod,
  errors: ['resource_missing'],
  async run({ rows, now }, { id }) {
    const found = await rows.payment_methods.get(id)
    return found ? ok(render(paymentMethod, asOf(found, now))) : fail('resource_missing')
  },
})
