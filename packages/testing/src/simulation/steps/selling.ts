import { shop_urls } from '../../builders/sales.ts'
import { type Client, objectOf } from '../client.ts'
import { amounts, anyToken, buy, collect, currencyOf } from './buying.ts'

/** Refunds parts of a payment, one after another and two at a time, until more is requested than is left. */
export async function refund(client: Client): Promise<void> {
  const { random } = client
  const payment = client.known(
    'payments',
    ({ listed, status }) => listed && (status === 'succeeded' || random.below(3) === 0),
  )
  if (payment === undefined) return buy(client)
  for (let times = 1 + random.below(3); times > 0; times -= 1) {
    const twice = random.below(3) === 0
    await Promise.all([askRefund(client, payment.id), twice ? askRefund(client, payment.id) : null])
  }
}

async function askRefund(client: Client, payment: string): Promise<void> {
  const amount = client.random.pick([null, 400, 700, 700])
  const input = { payment, ...(amount === null ? {} : { amount }) }
  const answer = await client.insist('refunds.create', input)
  const { saw } = client.world.witness
  if (answer?.code === 'refund_in_flight') saw('a refund met another under way')
  if (answer?.code === 'refund_amount_exceeds_balance') saw('a refund exceeded what was left')
  if (answer?.code === 'payment_not_refundable') saw('a refund met a payment that is not succeeded')
}

/** A user of the dashboard voids or refunds a payment. */
export async function dashboard(client: Client): Promise<void> {
  const payment = client.known('payments', ({ listed }) => listed)
  if (payment === undefined) return buy(client)
  const { actor } = client.place
  if (client.random.below(3) === 0) {
    await client.call('admin.refunds.create', (engine) =>
      engine.admin.refunds.create(actor, { payment: payment.id }),
    )
    return
  }
  const voided = await client.call('admin.payments.void', (engine) =>
    engine.admin.payments.void(actor, { id: payment.id }),
  )
  if (voided?.isErr()) client.world.witness.saw('a void came too late')
}

/** Opens a checkout page and has one or two tabs pay it, while the merchant may close it. */
export async function checkout(client: Client): Promise<void> {
  const page = await openPage(client)
  if (page !== null) await usePage(client, page)
}

/** Pays, expires or reads another client's page. */
export async function visit(client: Client): Promise<void> {
  const page = client.known('checkout_sessions')
  if (page === undefined) return checkout(client)
  await usePage(client, page.id)
}

/** A page at the moment at which it expires: a payer, the merchant and the sweep meet. */
export async function lastCall(client: Client): Promise<void> {
  const { world, random } = client
  const page = await openPage(client)
  const row = client.rows('checkout_sessions').get(page ?? '')
  if (row === undefined) return
  const session = await collect(client, anyToken(client), { amount: row.amount })
  const until_ms = Date.parse(row.expires_at) - world.timeline.engine_ms
  await world.sleep(Math.max(0, until_ms + random.pick([-1_500_000, -1, 0, 1])))
  await Promise.all([
    session === null ? null : payPage(client, row.id, session),
    random.below(2) === 0 ? client.call('reconcile', (engine) => engine.reconcile()) : null,
    random.below(3) === 0 ? expirePage(client, row.id) : null,
  ])
}

async function openPage(client: Client): Promise<string | null> {
  const amount = client.random.pick(amounts)
  const input = { amount, currency: currencyOf(amount), expires_in: 1800, ...shop_urls }
  return objectOf(await client.send('checkout_sessions.create', input))?.id ?? null
}

async function usePage(client: Client, id: string): Promise<void> {
  const { random } = client
  const amount = client.rows('checkout_sessions').get(id)?.amount ?? 1000
  const tab = async () => {
    const session = await collect(client, anyToken(client), { amount })
    if (session !== null) await payPage(client, id, session)
  }
  const tabs = random.below(2) === 0 ? [tab(), tab()] : [tab()]
  await Promise.all([...tabs, random.below(3) === 0 ? expirePage(client, id) : null])
}

async function payPage(client: Client, id: string, session: string): Promise<void> {
  const answer = await client.send(
    'checkout_sessions.pay',
    { id, payment_method_session: session },
    client.keyed(),
  )
  const { saw } = client.world.witness
  if (answer?.code === 'checkout_session_payment_in_flight') saw('a page met two payers at once')
  if (answer?.code === 'conflict') saw('a payer came too late for a page')
}

async function expirePage(client: Client, id: string): Promise<void> {
  const answer = await client.send('checkout_sessions.expire', { id })
  if (answer?.code === 'checkout_session_payment_in_flight')
    client.world.witness.saw('an expiry met a payment in flight')
}
