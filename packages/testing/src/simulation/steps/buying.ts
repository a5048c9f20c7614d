import { confirmation, isBankToken, opening } from '../../builders/requests.ts'
import { type Client, objectOf } from '../client.ts'

/** Few amounts, so that debits equal what was authorized and sums reach their limits. */
export const amounts = [1000, 1000, 700, 400] as const

/** A card pays the small amount in the other currency; bank accounts are debited in USD only. */
export function currencyOf(amount: number, token = 'tok_test_visa'): 'USD' | 'CAD' {
  return amount === 400 && !isBankToken(token) ? 'CAD' : 'USD'
}

/** Most tokens succeed. One whose outcome stays unknown costs a history ninety days of look-ups. */
const tokens: readonly string[] = [
  ...Array<string>(8).fill('tok_test_visa'),
  ...Array<string>(5).fill('btok_test_success'),
  'tok_test_declined',
  'tok_test_declined',
  'tok_test_insufficient_funds',
  'tok_test_unreachable',
  'tok_test_unreachable',
  'tok_test_unknown_approved',
  'tok_test_unknown_approved',
  'tok_test_unknown_declined',
  'tok_test_chargeback',
  'tok_test_refund_pending',
  'tok_test_refund_pending',
  'tok_test_refund_fails',
  'tok_test_refund_refused',
  'tok_test_incorrect_cvc',
  'btok_test_account_closed',
  'btok_test_late_return',
  'btok_test_refused',
]
const endless = ['tok_test_unknown_forever', 'btok_test_never_settles'] as const

export function anyToken({ random }: Client): string {
  return random.below(300) === 0 ? random.pick(endless) : random.pick(tokens)
}

/** Collects the card or account of a token. Resolves to the id of the confirmed session, or to null. */
export async function collect(
  client: Client,
  token: string,
  { amount = 1000, customer }: { amount?: number; customer?: string | undefined } = {},
): Promise<string | null> {
  const session = await openSession(client, token, { amount, customer })
  if (session === null) return null
  const confirmed = await client.send(
    'payment_method_sessions.confirm',
    confirmation(session, token),
    client.keyed(),
  )
  return objectOf(confirmed) === null ? null : session
}

async function openSession(
  client: Client,
  token: string,
  terms: { amount: number; customer?: string | undefined },
): Promise<string | null> {
  const opened = await client.send('payment_method_sessions.create', opening(token, terms), client.keyed())
  return objectOf(opened)?.id ?? null
}

/** Buys something: a session, its confirmation, and a payment, sent again if no response came. */
export async function buy(client: Client): Promise<void> {
  const amount = client.random.pick(amounts)
  const token = anyToken(client)
  const session = await collect(client, token, { amount })
  if (session !== null) await payBySession(client, session, { amount, currency: currencyOf(amount, token) })
}

/** Two servers of one merchant charge the same session, under the same key or under two. */
export async function buyTwice(client: Client): Promise<void> {
  const amount = client.random.pick(amounts)
  const session = await collect(client, anyToken(client), { amount })
  if (session === null) return
  const key = client.key()
  const other = client.random.below(2) === 0 ? key : client.key()
  const input = { amount, currency: 'usd', payment_method_session: session }
  const answers = await Promise.all([
    client.insist('payments.create', input, key),
    client.insist('payments.create', input, other),
  ])
  if (answers.some((answer) => answer?.code === 'payment_method_session_used'))
    client.world.witness.saw('a session was used by two at once')
}

/** Saves a method for a customer and charges it, or charges one that is there. */
export async function buyAgain(client: Client): Promise<void> {
  const known = client.known('payment_methods', ({ usage }) => usage === 'saved')
  const amount = client.random.pick(amounts)
  if (known && client.random.below(2) === 0) {
    await client.insist('payments.create', { amount, currency: 'usd', payment_method: known.id })
    return
  }
  const customer = await anyCustomer(client)
  const session = await collect(client, anyToken(client), { amount, customer })
  if (session === null) return
  const made = objectOf(await client.send('payment_methods.create', { payment_method_session: session }))
  if (made !== null)
    await client.insist('payments.create', { amount, currency: 'usd', payment_method: made.id })
}

/** Uses a session that somebody else opened: perhaps canceled, confirmed with another token, or over. */
export async function meddle(client: Client): Promise<void> {
  const session = client.known('payment_method_sessions')
  if (session === undefined) return buy(client)
  const { random } = client
  const token = anyToken(client)
  const way = random.below(4)
  if (way === 0) await client.send('payment_method_sessions.cancel', { id: session.id })
  if (way === 1) await client.send('payment_method_sessions.confirm', confirmation(session.id, token))
  if (way === 2) await client.send('payment_methods.create', { payment_method_session: session.id })
  if (way === 3) await payBySession(client, session.id, { amount: session.amount ?? random.pick(amounts) })
}

/** A session at the millisecond at which it expires: confirmed, used, and swept. */
export async function lastMoment(client: Client): Promise<void> {
  const { world, random } = client
  const session = await openSession(client, 'tok_test_visa', { amount: 1000 })
  if (session === null) return
  const row = client.rows('payment_method_sessions').get(session)
  const confirmed = random.below(2) === 0
  if (confirmed) await client.send('payment_method_sessions.confirm', confirmation(session, 'tok_test_visa'))
  const until_ms = Date.parse(row?.expires_at ?? '') - world.timeline.engine_ms
  await world.sleep(Math.max(0, until_ms + random.pick([-1, 0, 0, 1])))
  const key = client.key()
  const answers = await Promise.all([
    confirmed ? null : client.send('payment_method_sessions.confirm', confirmation(session, 'tok_test_visa')),
    client.send(
      'payments.create',
      { amount: 1000, currency: 'usd', payment_method_session: session },
      { key },
    ),
    random.below(2) === 0 ? client.call('reconcile', (engine) => engine.reconcile()) : null,
  ])
  if (answers[0]?.code === 'payment_method_session_inactive')
    world.witness.saw('a session was confirmed when it expired')
  if (answers[1]?.code === 'payment_method_session_inactive')
    world.witness.saw('a session was used after its time')
}

export async function detach(client: Client): Promise<void> {
  const method = client.known('payment_methods')
  if (method === undefined) return buyAgain(client)
  await Promise.all([
    client.send('payment_methods.detach', { id: method.id }),
    client.random.below(2) === 0
      ? client.send(
          'payments.create',
          { amount: 1000, currency: 'usd', payment_method: method.id },
          { key: client.key() },
        )
      : null,
  ])
}

export async function anyCustomer(client: Client): Promise<string | undefined> {
  const known = client.known('customers')
  if (known && client.random.below(3) > 0) return known.id
  const reference = `customer ${client.random.below(3)}`
  const made = await client.call('customers.create', (engine) =>
    engine.admin.customers.create(client.place.actor, {
      reference,
      name: 'Ada',
      email: 'ada@example.com',
      phone: '',
    }),
  )
  return made?.isOk() ? made.value.id : client.known('customers')?.id
}

async function payBySession(
  client: Client,
  session: string,
  { amount, currency = 'usd' }: { amount: number; currency?: string },
): Promise<void> {
  const input = { amount, currency, payment_method_session: session }
  const answer = await client.insist('payments.create', input)
  if (answer?.code === 'payment_method_session_used')
    client.world.witness.saw('a session was used by two at once')
}
