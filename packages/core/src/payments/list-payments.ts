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
  run({ rows }, { limit, starting_after, ...filters }) {
    return page(
      rows.payments,
      { limit, starting_after },
      { where: { listed: true, ...filters }, show: (row) => render(payment, row) },
    )
  },
})
