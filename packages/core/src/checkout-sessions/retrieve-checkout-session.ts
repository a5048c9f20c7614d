import { fail } from '../errors/domain-error.ts'
import { query } from '../kernel/operation.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { checkoutSession } from './checkout-session.ts'
import { asOf } from './checkout-session-machine.ts'
import { showCheckoutSession } from './show-checkout-session.ts'

/** `GET /checkout-sessions/{id}`. */
export const retrieveCheckoutSession = query({
  access: { key: 'secret', scope: 'payments:read' },
  input: byId,
  output: checkoutSession,
  errors: ['resource_missing'],
  async run(reading, { id }) {
    const found = await reading.rows.checkout_sessions.get(id)
    return found ? ok(showCheckoutSession(asOf(found, reading.now), reading)) : fail('resource_missing')
  },
})
