import { query } from '../kernel/operation.ts'
import { page } from '../kernel/page.ts'
import { render } from '../kernel/render.ts'
import { idParameter } from '../schema/ids.ts'
import { listOf, listQuery } from '../schema/list.ts'
import { payment, paymentStatus } from './payment.ts'

/** `GET /payments`: newest first, ordered by when each payment's request began. */
export const listPayments = query({
  access: { key: 'secret', scope: 'payments:read' },
  input: listQuery.extend({ status: paymentStatus.optional(), customer: idParameter.optional() }),
  output: listOf(payment),
  errors: ['parameter_invalid'],
  run({ rows }, { status, customer, ...cursor }) {
    return page(rows.payments, cursor, {
      where: { listed: true, status, customer },
      show: (row) => render(payment, row),
    })
  },
})
