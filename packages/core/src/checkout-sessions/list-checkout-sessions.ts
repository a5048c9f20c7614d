import { query } from '../kernel/operation.ts'
import { page } from '../kernel/page.ts'
import { listOf, listQuery } from '../schema/list.ts'
import { checkoutSession } from './checkout-session.ts'
import { asOf } from './checkout-session-machine.ts'
import { showCheckoutSession } from './show-checkout-session.ts'

/** `GET /checkout-sessions`. */
export const listCheckoutSessions = query({
  access: { key: 'secret', scope: 'payments:read' },
  input: listQuery,
  output: listOf(checkoutSession),
  errors: ['parameter_invalid'],
  run(reading, cursor) {
    return page(reading.rows.checkout_sessions, cursor, {
      where: {},
      show: (row) => showCheckoutSession(asOf(row, reading.now), reading),
    })
  },
})
