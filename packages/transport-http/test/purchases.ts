import { type Body, fresh, type Shop } from './shop.ts'

export const billing_details = { name: 'Ada Lovelace', postal_code: '02139' }
export const ach_authorization = { accepted: true, terms_version: '2026-01' }

interface Purchase {
  token?: string
  customer?: string
  /** In the live environment. */
  live?: boolean
}

const keysOf = ({ keys }: Shop, live = false) =>
  live
    ? { secret: keys.live, publishable: keys.live_publishable }
    : { secret: keys.secret, publishable: keys.publishable }

const isAccount = (token: string) => token.startsWith('btok_')

export async function newSession(shop: Shop, { token = 'tok_test_visa', customer, live }: Purchase = {}) {
  const bank = isAccount(token)
  const body = {
    payment_method_types: [bank ? 'us_bank_account' : 'card'],
    ...(customer === undefined ? {} : { customer }),
    ...(bank && customer === undefined ? { amount: 500, currency: 'usd' } : {}),
  }
  return succeeded(
    await shop.send('POST', '/payment-method-sessions', { key: keysOf(shop, live).secret, body }),
  )
}

/** A session made without HTTP, where HTTP lets nothing through. */
export async function hiddenSession({ engine, sandbox }: Shop) {
  const session = await engine.payment_method_sessions.create(await engine.caller(sandbox), {})
  return session._unsafeUnwrap()
}

/** Where the browser confirms a session. */
export const confirmPath = ({ id, client_secret }: Body) =>
  `/payment-method-sessions/${id}/confirm?client_secret=${client_secret}`

export function confirmation(token: string) {
  return isAccount(token)
    ? { us_bank_account: { token }, billing_details, ach_authorization }
    : { card: { token }, billing_details }
}

export async function confirmedSession(shop: Shop, purchase: Purchase = {}) {
  const session = await newSession(shop, purchase)
  const body = confirmation(purchase.token ?? 'tok_test_visa')
  succeeded(
    await shop.send('POST', confirmPath(session), { key: keysOf(shop, purchase.live).publishable, body }),
  )
  return session
}

export async function newMethod(shop: Shop, purchase: Purchase = {}) {
  const { id } = await confirmedSession(shop, purchase)
  const body = { payment_method_session: id }
  return succeeded(
    await shop.send('POST', '/payment-methods', { key: keysOf(shop, purchase.live).secret, body }),
  )
}

export async function newPayment(shop: Shop, purchase: Purchase = {}) {
  const { id } = await confirmedSession(shop, purchase)
  const body = { amount: 500, currency: 'USD', payment_method_session: id }
  const request = { key: keysOf(shop, purchase.live).secret, body, headers: fresh() }
  return succeeded(await shop.send('POST', '/payments', request))
}

export async function newEndpoint(shop: Shop, { live }: Pick<Purchase, 'live'> = {}) {
  const body = { url: 'https://example.com/hooks', enabled_events: ['*'] }
  return succeeded(await shop.send('POST', '/webhook-endpoints', { key: keysOf(shop, live).secret, body }))
}

export async function lastEvent(shop: Shop, { live }: Pick<Purchase, 'live'> = {}): Promise<Body> {
  const { data } = succeeded(await shop.send('GET', '/events?limit=1', { key: keysOf(shop, live).secret }))
  return data[0] ?? fault('there is no event')
}

export async function newCustomer(shop: Shop, reference = 'c-1', scope = shop.sandbox) {
  const details = { reference, name: 'Ada', email: 'ada@example.com', phone: '+1' }
  return (await shop.engine.admin.customers.create(scope, details))._unsafeUnwrap().id
}

export async function newRefund(shop: Shop, purchase: Purchase = {}) {
  const { id } = await newPayment(shop, purchase)
  const request = {
    key: keysOf(shop, purchase.live).secret,
    body: { payment: id, amount: 100 },
    headers: fresh(),
  }
  return succeeded(await shop.send('POST', '/refunds', request))
}

const page_urls = {
  success_url: 'https://shop.example.com/paid',
  cancel_url: 'https://shop.example.com/cart',
}
export const checkout = { amount: 500, currency: 'USD', ...page_urls }

export async function newCheckout(shop: Shop, { live }: Pick<Purchase, 'live'> = {}) {
  return succeeded(
    await shop.send('POST', '/checkout-sessions', { key: keysOf(shop, live).secret, body: checkout }),
  )
}

/** An open invoice, as the dashboard sends it; by default of a customer of its own. */
export async function newInvoice(
  shop: Shop,
  { live, customer }: Omit<Purchase, 'token'> = {},
): Promise<string> {
  const scope = live ? shop.live : shop.sandbox
  const { invoices } = shop.engine.admin
  customers_made += 1
  const billed = customer ?? (await newCustomer(shop, `invoiced-${customers_made}`, scope))
  const dates = { invoice_date: '2026-01-01', due_date: '2026-01-31' }
  const draft = await invoices.draft(scope, { customer: billed, currency: 'USD', total: 500, ...dates })
  const { id } = draft._unsafeUnwrap()
  return (await invoices.send(scope, { id }))._unsafeUnwrap().id
}

let customers_made = 0

function succeeded({ status, text, body }: { status: number; text: string; body: Body }): Body {
  return status === 200 ? body : fault(`answered ${status}: ${text}`)
}

function fault(message: string): never {
  throw new Error(message)
}
