import { type Client, objectOf } from '../client.ts'
import { amounts, anyCustomer, anyToken, collect } from './buying.ts'

/** When the sandbox has charged back a payment with its chargeback token, and the reconciler can know. */
const chargeback_ms = 3 * 86_400_000 + 60_000

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

async function payInvoice(
  client: Client,
  invoice: string,
  { amount = client.random.pick(amounts), token = anyToken(client) } = {},
): Promise<string | null> {
  const session = await collect(client, token, { amount })
  if (session === null) return null
  const input = { amount, currency: 'USD', payment_method_session: session, invoice }
  const answer = await client.insist('payments.create', input)
  if (answer?.code === 'parameter_invalid')
    client.world.witness.saw('an invoice met a payment of more than is due')
  return objectOf(answer)?.id ?? null
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

/** An invoice paid with two cards, of which one payment is refunded in part and then charged back. */
export async function dispute(client: Client): Promise<void> {
  const id = await sendInvoice(client)
  if (id === null) return
  const disputed = await payInvoice(client, id, { amount: 700, token: 'tok_test_chargeback' })
  await payInvoice(client, id, { amount: 400, token: 'tok_test_visa' })
  if (disputed === null) return
  await client.insist('refunds.create', { payment: disputed, amount: 400 })
  if (client.random.below(3) === 0) await client.world.sleep(chargeback_ms)
  await client.insist('refunds.create', { payment: disputed, amount: 400 })
}
