import { shop_urls } from '../../builders/sales.ts'
import { type Client, objectOf } from '../client.ts'
import { receiver_kinds } from '../receivers.ts'

const subscriptions = [
  ['*'],
  ['*'],
  ['*'],
  ['payment.succeeded'],
  ['payment.failed', 'refund.succeeded'],
] as const

/** Registers a receiver: by an API key, or by a user of the dashboard. */
export async function register(client: Client): Promise<void> {
  const { world, random, place } = client
  const url = freshUrl(client)
  const enabled_events = [...random.pick(subscriptions)]
  if (random.below(4) > 0) {
    const made = objectOf(
      await client.send('webhook_endpoints.create', { url, enabled_events }, client.keyed()),
    )
    if (made !== null) world.witness.deliveries.secrets.set(made.id, String(made.secret))
    return
  }
  const made = await client.call('webhook_endpoints.register', (engine) =>
    engine.admin.webhook_endpoints.register(place.actor, { url, enabled_events }),
  )
  if (made?.isOk()) world.witness.deliveries.secrets.set(made.value.id, made.value.secret)
}

/** Registers more endpoints than a workspace may have. */
export async function registerTooMany(client: Client): Promise<void> {
  for (let count = 0; count < 17; count += 1) {
    const input = { url: freshUrl(client), enabled_events: ['refund.failed'] }
    const answer = await client.send('webhook_endpoints.create', input)
    if (answer?.code === 'webhook_endpoint_limit_reached')
      client.world.witness.saw('a seventeenth endpoint was refused')
  }
}

/** Edits, disables, resumes or deletes an endpoint, even while deliveries to it are under way. */
export async function edit(client: Client): Promise<void> {
  const { random } = client
  const endpoint = client.known('webhook_endpoints', ({ listed }) => listed)
  if (endpoint === undefined) return register(client)
  const { id } = endpoint
  const way = random.below(6)
  if (way === 0) await client.send('webhook_endpoints.delete', { id })
  else if (way === 1) await client.send('webhook_endpoints.update', { id, url: freshUrl(client) })
  else if (way === 2)
    await client.send('webhook_endpoints.update', { id, enabled_events: ['payment.succeeded'] })
  else await client.send('webhook_endpoints.update', { id, status: random.pick(['disabled', 'enabled']) })
}

export async function resend(client: Client): Promise<void> {
  const event = client.known('events')
  const endpoint = client.known('webhook_endpoints')
  if (event === undefined || endpoint === undefined) return register(client)
  const ask = async () => {
    const answer = await client.send('events.resend', { id: event.id, endpoint: endpoint.id })
    if (answer?.code === 'conflict') client.world.witness.saw('a resend met a delivery under way')
  }
  await Promise.all(client.random.below(2) === 0 ? [ask(), ask()] : [ask()])
}

/** Many events at once for one workspace: more than the deliveries that may be in flight. */
export async function flood(client: Client): Promise<void> {
  for (let count = 0; count < 3; count += 1) await register(client)
  const pages = [1, 2, 3, 4, 5].map(async () => {
    const page = objectOf(
      await client.send('checkout_sessions.create', { amount: 400, currency: 'USD', ...shop_urls }),
    )
    if (page !== null) await client.send('checkout_sessions.expire', { id: page.id })
  })
  await Promise.all(pages)
}

/** A new URL, which identifies its endpoint; the host's name says how its receiver behaves. */
function freshUrl({ random }: Client): string {
  return `https://${random.pick(receiver_kinds)}.example.com/hooks/${random.below(1_000_000_000)}`
}
