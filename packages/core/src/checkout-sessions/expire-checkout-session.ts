import { fail } from '../errors/domain-error.ts'
import { command } from '../kernel/operation.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { checkoutSession } from './checkout-session.ts'
import { closeCheckoutSession } from './close-checkout-session.ts'
import { showCheckoutSession } from './show-checkout-session.ts'

/**
 * `POST /checkout-sessions/{id}/expire`: closes an open page early. Refused while the customer is paying.
 * Expiring it again returns the same and announces nothing; a complete session is refused with `conflict`.
 */
export const expireCheckoutSession = command({
  access: { key: 'secret', scope: 'payments:write' },
  refuses: 'payment details in the clear',
  input: byId,
  output: checkoutSession,
  errors: ['resource_missing', 'conflict', 'checkout_session_payment_in_flight'],
  async run(unit, { id }) {
    const session = await unit.tx.checkout_sessions.lock(id)
    if (!session) return fail('resource_missing')
    if (session.status === 'expired') return ok(showCheckoutSession(session, unit))
    return closeCheckoutSession(unit, session, unit.now < session.expires_at ? 'expire' : 'time')
  },
})
