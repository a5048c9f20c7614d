import type { Context } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { type CheckoutSession, type CheckoutSessionRow, checkoutSession as wire } from './checkout-session.ts'

/** The session as the API shows it: with the address of its page while that is open. */
export function showCheckoutSession(
  session: CheckoutSessionRow,
  { secrets, public_url }: Pick<Context, 'secrets' | 'public_url'>,
): CheckoutSession {
  const open = session.status === 'open'
  const url = open ? `${public_url}/checkout/${secrets.pageToken('checkout_session', session)}` : null
  return render(wire, { ...session, url })
}
