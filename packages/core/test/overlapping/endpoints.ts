import { ok } from '../../src/kernel/result.ts'
import { freshUrl } from './makers.ts'
import { filing } from './money.ts'
import { acted, asked, called, type Draw, type Written } from './world.ts'

export const create: Draw = async (world) => {
  const input = { url: freshUrl(world.random), enabled_events: ['*'] }
  return asked('webhook_endpoints.create', input, { key: world.keyed() })
}

/** Different fields by different requests: none of them may be lost. */
export const edit: Draw = async (world) => {
  const { random } = world
  const id = await world.one('endpoint')
  const change = random.pick([
    { url: freshUrl(random) },
    { description: `described ${random.below(1000)}` },
    { enabled_events: [random.pick(['*', 'payment.succeeded', 'refund.succeeded'] as const)] },
  ])
  const key = world.keyed()
  return asked('webhook_endpoints.update', { id, ...change }, { key, writes: written(id, change) })
}

export const disable: Draw = async (world) => {
  const id = await world.one('endpoint')
  const change = { status: 'disabled' }
  const key = world.keyed()
  return asked(
    'webhook_endpoints.update',
    { id, ...change },
    { key, writes: written(id, change), silences: id },
  )
}

export const enable: Draw = async (world) => {
  const id = await world.one('endpoint')
  const change = { status: 'enabled' }
  const key = world.keyed()
  return asked('webhook_endpoints.update', { id, ...change }, { key, writes: written(id, change), wakes: id })
}

export const remove: Draw = async (world) => {
  const id = await world.one('endpoint')
  const writes = written(id, { listed: false, status: 'disabled' })
  return asked('webhook_endpoints.delete', { id }, { key: world.keyed(), writes, silences: id })
}

export const resend: Draw = async (world) => {
  const endpoint = await world.one('endpoint')
  return asked('events.resend', { id: await world.one('event'), endpoint }, { key: world.keyed() })
}

function written(id: string, fields: object, table: Written['table'] = 'webhook_endpoints'): Written[] {
  return Object.entries(fields).map(([field, value]) => ({ table, id, field, value }))
}

export const update_customer: Draw = async (world) => {
  const id = await world.one('customer')
  const field = world.random.pick(['name', 'email', 'phone'] as const)
  const change = { [field]: `changed ${world.random.below(1000)}` }
  return acted(
    `customers.update ${id} ${JSON.stringify(change)}`,
    async ({ engine, scope }) => engine.admin.customers.update(scope, { id, ...change }),
    { writes: written(id, change, 'customers') },
  )
}

export const create_customer: Draw = async () => {
  const contact = { reference: 'one of a kind', name: 'Ada', email: '', phone: '' }
  return acted('customers.create', async ({ engine, scope }) => engine.admin.customers.create(scope, contact))
}

export const rotate: Draw = async (world) => {
  const id = await world.one('api_key')
  return acted(`keys.rotate ${id}`, async ({ engine, scope }) => engine.admin.keys.rotate(scope, { id }))
}

const origin = { ip_address: null, user_agent: null }

export const revoke: Draw = async (world) => {
  const id = await world.one('api_key')
  const secret = `Bearer ${world.secrets.get(id)}`
  return acted(`keys.revoke ${id}`, async ({ engine, scope }) => engine.admin.keys.revoke(scope, { id }), {
    async afterwards({ engine }) {
      const opened = await engine.authenticate(secret, origin)
      return opened.isOk() ? `the key ${id} opens after its revocation was answered` : null
    },
  })
}

const use_key: Draw = async (world) => {
  const id = await world.one('api_key')
  return called(`authenticate ${id}`, async ({ engine }) => {
    const opened = await engine.authenticate(`Bearer ${world.secrets.get(id)}`, origin)
    return opened.map(({ caller }) => ok(caller.scopes))
  })
}

export const of_endpoints: readonly Draw[] = [
  create,
  edit,
  edit,
  disable,
  disable,
  disable,
  enable,
  remove,
  resend,
  resend,
  ...filing,
  ...filing,
]

export const of_accounts: readonly Draw[] = [update_customer, create_customer, rotate, revoke, use_key]
