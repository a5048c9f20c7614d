import { type Client, objectOf } from '../client.ts'
import { amounts, anyCustomer, anyToken, buy, collect } from './buying.ts'

/** Gives back parts of a payment, one after another and two at a time, until more is asked for than there is. */
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
  const answer = await client.insist('refunds.create', input, { key: client.key() })
  const { saw } = client.world.witness
  if (answer?.code === 'refund_in_flight') saw('a refund met another under way')
  if (answer?.code === 'refund_amount_exceeds_balance') saw('a refund exceeded what was left')
  if (answer?.code === 'payment_not_refundable') saw('a refund met a payment that is not succeeded')
}

/** A user of the dashboard voids a payment, or gives one back. */
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

/** A page of somebody else's: paid, expired, looked at. */
export async function visit(client: Client): Promise<void> {
  const page = client.known('checkout_sessions')
  if (page === undefined) return checkout(client)
  await usePage(client, page.id)
}

/** A page at the moment when its time is over: a payer, the merchant and the sweep meet. */
export async function lastCall(client: Client): Promise<void> {
  const { world, random } = client
  const page = await openPage(client)
  const row =
    page === null ? undefined : world.witness.book.table(client.place.scope, 'checkout_sessions').get(page)
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
  const urls = { success_url: 'https://shop.example.com/thanks', cancel_url: 'https://shop.example.com/cart' }
  const input = { amount: client.random.pick(amounts), currency: 'USD', expires_in: 1800, ...urls }
  return objectOf(await client.send('checkout_sessions.create', input))?.id ?? null
}

async function usePage(client: Client, id: string): Promise<void> {
  const { random } = client
  const amount =
    client.world.witness.book.table(client.place.scope, 'checkout_sessions').get(id)?.amount ?? 1000
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

/** Sends an invoice, and has it paid by the API, on its page, or by both at once. */
export async function invoice(client: Client): Promise<void> {
  const known = client.known('invoices', ({ status }) => status === 'open')
  const id = known && client.random.below(3) > 0 ? known.id : await sendInvoice(client)
  if (id === null) return
  const ways = [() => payInvoice(client, id), () => payInvoicePage(client, id), () => tendInvoice(client, id)]
  const first = client.random.pick(ways)
  const second = client.random.pick(ways)
  await Promise.all([first(), client.random.below(2) === 0 ? second() : null])
}

async function sendInvoice(client: Client): Promise<string | null> {
  const customer = await anyCustomer(client)
  if (customer === undefined) return null
  const { actor } = client.place
  const total = client.random.pick([1000, 1400])
  const terms = { currency: 'USD' as const, total, invoice_date: '2026-01-31', due_date: '2026-02-01' }
  const drafted = await client.call('invoices.draft', (engine) =>
    engine.admin.invoices.draft(actor, { customer, ...terms }),
  )
  if (!drafted?.isOk()) return null
  const { id } = drafted.value
  const sent = await client.call('invoices.send', (engine) => engine.admin.invoices.send(actor, { id }))
  return sent?.isOk() ? id : null
}

async function payInvoice(client: Client, invoice: string): Promise<void> {
  const amount = client.random.pick(amounts)
  const session = await collect(client, anyToken(client), { amount })
  if (session === null) return
  const input = { amount, currency: 'USD', payment_method_session: session, invoice }
  const answer = await client.insist('payments.create', input, { key: client.key() })
  if (answer?.code === 'parameter_invalid')
    client.world.witness.saw('an invoice met a payment of more than is due')
}

async function payInvoicePage(client: Client, id: string): Promise<void> {
  const shown = objectOf(await client.send('invoices.retrieve', { id }))
  const amount = Number(shown?.amount_due ?? 0)
  if (amount === 0) return
  const session = await collect(client, anyToken(client), { amount })
  if (session === null) return
  const answer = await client.send('invoices.pay', { id, payment_method_session: session, amount })
  if (answer?.status === 200) client.world.witness.saw('an invoice was paid on its page')
}

async function tendInvoice(client: Client, id: string): Promise<void> {
  const { actor } = client.place
  const way = client.random.below(3)
  await client.call(`invoices.tend(${way})`, async ({ admin: { invoices } }) => {
    if (way === 0) return invoices.writeOff(actor, { id, amount: 400 })
    return way === 1 ? invoices.cancel(actor, { id }) : invoices.send(actor, { id })
  })
}
