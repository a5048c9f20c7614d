import { query } from '../kernel/operation.ts'
import { page } from '../kernel/page.ts'
import { render } from '../kernel/render.ts'
import { idParameter } from '../schema/ids.ts'
import { listOf, listQuery } from '../schema/list.ts'
import { refund } from './refund.ts'

/** `GET /refunds?payment=`: newest first, ordered by when each refund's request began. */
export const listRefunds = query({
  access: { key: 'secret', scope: 'payments:read' },
  input: listQuery.extend({ payment: idParameter.optional() }),
  output: listOf(refund),
  errors: ['parameter_invalid'],
  run({ rows }, { payment, ...cursor }) {
    return page(rows.refunds, cursor, {
      where: { listed: true, payment },
      show: (row) => render(refund, row),
    })
  },
})
