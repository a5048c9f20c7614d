import {
  billing_details,
  checkout,
  confirmation,
  confirmedSession,
  confirmPath,
  newCustomer,
} from '../purchases.ts'
import { fresh } from '../shop.ts'
import { engine_secret, type House } from './house.ts'

/** What nobody may find, by what it is: each at least 12 characters that nothing else holds. */
export type Planted = Record<string, string>

/** What everybody may find: where the search does not see it, it sees nothing. */
export const visible = 'a reference for everybody'

const card = '4242424242424242'
const account = '000123456789'

/** A history with everything that knows a secret in it: told, mistyped, sent to the wrong place, refused and failed. */
export async function liveThrough(house: House): Promise<Planted> {
  const planted: Planted = {
    'the secret of the engine': engine_secret,
    'a card number': card,
    'an account number': account,
  }
  for (const [name, key] of Object.entries(house.keys)) planted[`the key ${name}`] = middleOf(key)
  await onboard(house, planted)
  await registerEndpoints(house, planted)
  await collect(house, planted)
  await sell(house, planted)
  await house.work()
  await mistake(house, planted)
  await house.withoutDatabase(() => mistakeAll(house, planted))
  await house.work()
  const { data } = (await house.send('GET', '/events')).body
  for (const { id } of data) await house.send('GET', `/events/${id}`)
  return planted
}

/** A few characters from each end of a key are kept (specification, "Authentication", 5). */
function middleOf(key: string): string {
  return key.slice(14, -6)
}

async function onboard({ call, receiver, send, work }: House, planted: Planted): Promise<void> {
  planted['a password'] = 'planted: a password of a user'
  planted['the token of a ledger'] = 'planted-token-of-a-ledger'
  planted['a secret of an integration'] = 'planted-secret-of-an-integration'
  const body = {
    organization: {
      email: 'a@example.com',
      name: 'A',
      slug: 'a',
      phoneNumber: '1',
      website: 'https://a.example',
    },
    ledger: [{ ledgerAPIBaseUrl: receiver, ledgerSiteId: 'a', token: planted['the token of a ledger'] }],
    integrations: [
      {
        serviceTypeId: 'mail',
        ledgerSiteId: 'a',
        configuration: { key: planted['a secret of an integration'] },
      },
    ],
    user: { name: 'A', email: 'u@example.com', password: planted['a password'] },
  }
  const path = '/back-office/onboard/entity'
  const { data } = (
    await call<{ id: string; apiKey: string; ledger: { connectionId: string }[] }>('POST', path, { body })
  ).body
  planted['the key of an organization'] = middleOf(data.apiKey)
  const made = await call<{ key: string }>('POST', `/service/organization/${data.id}/api-keys`)
  planted['a second key of it'] = middleOf(made.body.data.key)
  await call('POST', path, { body })
  await call('POST', path, { body: { ...body, user: { ...body.user, email: planted['a password'] } } })
  await call('POST', path, { body, key: planted['a second key of it'] })
  for (const useWorker of [true, false]) {
    const sync = {
      connectionId: data.ledger[0]?.connectionId,
      jobType: 'sync_invoice',
      allInvoices: true,
      useWorker,
    }
    await call('POST', '/back-office/sync/historical', { body: sync })
    await work()
  }
  await send('GET', '/account', { key: made.body.data.key })
}

async function registerEndpoints({ send, receiver }: House, planted: Planted): Promise<void> {
  for (const path of ['/well', '/ill']) {
    const body = { url: receiver + path, enabled_events: ['*'], description: path }
    const headers = fresh()
    const { secret } = (await send('POST', '/webhook-endpoints', { body, headers })).body
    planted[`the secret of ${path}`] = String(secret).slice('whsec_'.length)
    await send('POST', '/webhook-endpoints', { body, headers })
  }
  await send('GET', '/webhook-endpoints')
}

async function collect(house: House, planted: Planted): Promise<void> {
  const { send, keys } = house
  // An answer is kept for its replay.
  const session = (await send('POST', '/payment-method-sessions', { body: {}, headers: fresh() })).body
  planted['a client secret'] = session.client_secret.replace(/^.*_secret_/, '')
  const path = confirmPath(session)
  const publishable = { key: keys.publishable }
  await send(
    'GET',
    `/payment-method-sessions/${session.id}?client_secret=${session.client_secret}`,
    publishable,
  )
  await send(
    'GET',
    `/payment-method-sessions/${session.id}?client_secret=${session.client_secret}x`,
    publishable,
  )
  await send('GET', `/payment-methods/${session.client_secret}`)
  await send('GET', `/nowhere?client_secret=${session.client_secret}`)
  const bodies = [
    { card: { number: card, cvc: '123' }, billing_details },
    { card: { token: card }, billing_details },
    { card: { token: 'tok_test_visa' }, billing_details: { name: `4242 4242 4242 4242`, postal_code: card } },
    { us_bank_account: { routing_number: '110000000', account_number: account }, billing_details },
    { card: { token: 'tok_test_incorrect_cvc' }, billing_details },
    confirmation('tok_test_visa'),
  ]
  for (const body of bodies) await send('POST', path, { ...publishable, body, headers: fresh() })
  await send('POST', path, { ...publishable, body: `{"card":{"number":"${card}"`, headers: fresh() })
}

async function sell(house: House, planted: Planted): Promise<void> {
  const { send, engine, sandbox, page } = house
  for (const token of ['tok_test_visa', 'tok_test_declined', 'tok_test_unreachable', 'btok_test_success']) {
    const payment_method_session = (await confirmedSession(house, { token })).id
    const body = { amount: 500, currency: 'USD', payment_method_session, reference: visible }
    const headers = fresh()
    const { id } = (await send('POST', '/payments', { body, headers })).body
    await send('POST', '/payments', { body, headers })
    await send('POST', '/payments', { body: { ...body, description: card }, headers: fresh() })
    if (id !== undefined)
      await send('POST', '/refunds', { body: { payment: id, amount: 100 }, headers: fresh() })
  }
  const { body } = await send('POST', '/checkout-sessions', { body: checkout, headers: fresh() })
  await payOnPage(house, String(body.url), 'a checkout page', planted)
  const dates = { invoice_date: '2026-01-01', due_date: '2026-01-31' }
  const customer = await newCustomer(house)
  const { invoices } = engine.admin
  const draft = (
    await invoices.draft(sandbox, { customer, currency: 'USD', total: 500, ...dates })
  )._unsafeUnwrap()
  const { payment_url } = (await invoices.send(sandbox, { id: draft.id }))._unsafeUnwrap()
  await payOnPage(house, String(payment_url), 'an invoice page', planted)
  await page(`${payment_url}x`)
  await send('GET', '/invoices')
  await send('GET', '/checkout-sessions')
}

/** Half of a page's token says whose it is; the other half is the proof, which opens it. */
async function payOnPage(
  { page, addresses }: House,
  url: string,
  name: string,
  planted: Planted,
): Promise<void> {
  planted[`the address of ${name}`] = url.replace(/^.*\./, '')
  addresses.push(url)
  for (const token of [card, 'tok_test_declined', 'tok_test_visa']) {
    const { text } = await page(url)
    const field = (of: string) => new RegExp(`name="${of}" value="([^"]*)"`).exec(text)?.[1] ?? ''
    const form = { key: field('key'), amount: field('amount'), method: 'card', name: 'Ada', postal_code: '1' }
    await page(url, { ...form, token })
  }
}

/** Keys and numbers where they do not belong. */
async function mistake({ send, keys, engine, sandbox }: House, planted: Planted): Promise<void> {
  const rotated = (await engine.admin.keys.create(sandbox, { type: 'secret' }))._unsafeUnwrap()
  planted['a key that was revoked'] = middleOf(rotated.key)
  await engine.admin.keys.revoke(sandbox, { id: rotated.id })
  for (const key of [rotated.key, `${keys.secret}x`, keys.publishable, `x ${keys.live}`])
    await send('GET', '/account', { key })
  await send('GET', `/payments?api_key=${keys.secret}`)
  await send('GET', `/payments/${keys.secret}`)
  await send('GET', `/payments?starting_after=${keys.secret.slice(0, 60)}`)
  await send('POST', '/checkout-sessions', {
    body: { ...checkout, [keys.secret]: 1 },
    headers: { 'idempotency-key': 'a b' },
  })
  await send('POST', '/checkout-sessions', {
    body: { ...checkout, metadata: { number: card } },
    headers: fresh(),
  })
  await send('POST', '/payment-methods', { body: { payment_method_session: card }, headers: fresh() })
}

/** The same, and every secret in a path, a query, a header and a body, where nothing works. */
async function mistakeAll({ send, call, page, keys, addresses }: House, planted: Planted): Promise<void> {
  const first = (text: string) => `${text.slice(0, 60)}`
  for (const secret of [...Object.values(planted), keys.secret, keys.publishable]) {
    const text = encodeURIComponent(secret)
    await send('GET', `/payment-methods/${text}`)
    await send('POST', `/payment-method-sessions/${text}/confirm?client_secret=${text}`, {
      key: keys.publishable,
      body: {},
    })
    await send('GET', `/payments?starting_after=${encodeURIComponent(first(secret))}`)
    await send('GET', '/account', { key: text })
    await send('POST', '/checkout-sessions', {
      body: { description: secret },
      headers: { 'idempotency-key': text },
    })
    await call('POST', '/back-office/sync/historical', {
      body: { connectionId: secret, jobType: 'sync_invoice' },
    })
    await call('POST', `/service/organization/${text}/api-keys`)
    await page(`https://pay.example.com/pay/x.${text}`, { token: secret })
  }
  for (const address of addresses) await page(address)
}
