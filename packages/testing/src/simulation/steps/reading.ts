import type { OperationName, TableName } from '@quittance/core'
import { type Client, objectOf } from '../client.ts'

const lists: readonly [OperationName, TableName][] = [
  ['payments.list', 'payments'],
  ['refunds.list', 'refunds'],
  ['events.list', 'events'],
  ['checkout_sessions.list', 'checkout_sessions'],
  ['invoices.list', 'invoices'],
  ['webhook_endpoints.list', 'webhook_endpoints'],
]

/** Walks a list, one or two records a page, while others write: no record that was there is missed or seen twice. */
export async function walk(client: Client): Promise<void> {
  const { world, random } = client
  const [operation, table] = random.pick(lists)
  const listed = () => {
    const rows = [...client.rows(table).values()]
    return rows.filter((row) => !('listed' in row) || row.listed).map(({ id }) => id)
  }
  const before = listed()
  const limit = 1 + random.below(2)
  const seen: string[] = []
  for (;;) {
    const after = seen.at(-1)
    const answer = await client.send(operation, {
      limit,
      ...(after === undefined ? {} : { starting_after: after }),
    })
    if (answer === null || answer.code !== null) return
    const page = JSON.parse(answer.body) as { data: { id: string }[]; has_more: boolean }
    seen.push(...page.data.map(({ id }) => id))
    if (!page.has_more) break
    world.witness.saw('a list was walked over several pages')
  }
  const after = listed()
  if (after.length > before.length) world.witness.saw('a list grew while it was walked')
  const wrong = seen.find((id, index) => index > 0 && id >= (seen[index - 1] ?? ''))
  if (wrong !== undefined) world.witness.report('R24', `${operation} shows ${wrong} out of order`)
  for (const id of before) {
    if (!seen.includes(id) && after.includes(id)) world.witness.report('R24', `${operation} misses ${id}`)
  }
  for (const id of seen) {
    if (!client.rows(table).has(id)) world.witness.report('M47', `${operation} shows ${id}`)
  }
}

/** Reads a payment in its own workspace and environment, and in another, where it must not be found. */
export async function look(client: Client): Promise<void> {
  const payment = client.known('payments')
  if (payment === undefined) return walk(client)
  const found = await client.send('payments.retrieve', { id: payment.id })
  if (found?.status === 404 && payment.listed)
    client.world.witness.report('M47', `${payment.id} cannot be read`)
  const place = client.world.places.find(({ scope }) => scope !== client.place.scope)
  if (place === undefined) return
  const elsewhere = await client.elsewhere(place).send('payments.retrieve', { id: payment.id })
  if (objectOf(elsewhere) !== null)
    client.world.witness.report('M47', `${payment.id} can be read from elsewhere`)
}

/** Rotates an API key in use: the new key opens what the old one did, and the old key nothing any more. */
export async function rotate(client: Client): Promise<void> {
  const { actor } = client.place
  const { witness } = client.world
  const made = await client.call('keys.create', (engine) =>
    engine.admin.keys.create(actor, { type: 'secret' }),
  )
  if (!made?.isOk()) return
  const { id, key } = made.value
  const rotated = await client.call('keys.rotate', (engine) => engine.admin.keys.rotate(actor, { id }))
  if (!rotated?.isOk()) return
  witness.saw('a key was rotated')
  const revoked = await client.call('keys.revoke', (engine) => engine.admin.keys.revoke(actor, { id }))
  const opens = (secret: string) =>
    client.call('authenticate', (engine) =>
      engine.authenticate(`Bearer ${secret}`, { ip_address: null, user_agent: null }),
    )
  const old = await opens(key)
  if (revoked?.isOk() && old?.isOk()) witness.report('M47', 'a revoked key still opens a workspace')
  if (old?.isErr()) witness.saw('a revoked key was refused')
  const fresh = await opens(rotated.value.key)
  if (fresh?.isErr()) witness.report('M47', 'a key that was rotated opens nothing')
}
