import { query } from '../kernel/operation.ts'
import { page } from '../kernel/page.ts'
import { render } from '../kernel/render.ts'
import { idParameter } from '../schema/ids.ts'
import { listOf, listQuery } from '../schema/list.ts'
import { paymentMethod } from './payment-method.ts'
import { asOf } from './payment-method-machine.ts'

/** `GET /payment-methods?customer=`. */
export const listPaymentMethods = query({
  access: { key: 'secret', scope: 'payment_methods:read' },
  input: listQuery.extend({ customer: idParameter.optional() }),
  output: listOf(paymentMethod),
  errors: ['parameter_invalid'],
  run({ rows, now }, { customer, ...cursor }) {
    return page(rows.payment_methods, cursor, {
      where: { customer },
      show: (row) => render(paymentMethod, asOf(row, now)),
    })
  },
})
