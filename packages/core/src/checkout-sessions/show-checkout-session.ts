import type { Circumstances } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { type CheckoutSession, type CheckoutSessionRow, checkoutSession as wire } from './checkout-session.ts'

/** The session as the API shows it: with the address of its page while that is open. */
export function showCheckoutSession(
  session: CheckoutSessionRow,
  { secrets, public_url }: Pick<Circumstances, 'secrets' | 'public_url'>,
): CheckoutSession {
  const { status, workspace, livemode, id } = session
  const token = status === 'open' ? secrets.pageToken('checkout_session', { workspace, livemode, id }) : null
  return render(wire, { ...session, url: token === null ? null : `${public_url}/checkout/${token}` })
}
