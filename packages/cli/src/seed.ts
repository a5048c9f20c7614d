import { type Engine, type KeyScope, keyScopes, type Scope } from '@quittance/core'
import type { DevFile } from './home.ts'

export type Seed = Omit<DevFile, 'base_url' | 'back_office_url'>

/** Whether the keys of an earlier start still open this database. */
export async function isSeeded(engine: Engine, seed: Seed): Promise<boolean> {
  const known = await engine.authenticate(`Bearer ${seed.sandbox.secret_key}`, { ip_address: null, user_agent: null })
  return known.isOk()
}

/** A workspace to work with, keys of every kind, and workspaces that answer differently. */
export async function seed(engine: Engine): Promise<Seed> {
  const { admin } = engine
  const { id: workspace_id } = await admin.workspaces.create({ name: 'Acme Supply' })
  const sandbox = { workspace: workspace_id, livemode: false }
  const live = { workspace: workspace_id, livemode: true }
  await seedCustomers(engine, sandbox)

  const secretKey = async (scope: Scope, scopes: readonly KeyScope[] = keyScopes) =>
    (await created(engine, scope, { type: 'secret', scopes })).key
  const keysOf = async (scope: Scope) => ({
    secret_key: await secretKey(scope),
    publishable_key: (await created(engine, scope, { type: 'publishable' })).key,
  })
  const otherWorkspace = async (switches: { name: string; api_enabled?: boolean; refunds_enabled?: boolean }) =>
    secretKey({ workspace: (await admin.workspaces.create(switches)).id, livemode: false })

  const revoked = await created(engine, sandbox, { type: 'secret' })
  await admin.keys.revoke(sandbox, revoked.id)
  const restricted: Partial<Record<KeyScope, string>> = {}
  for (const scope of keyScopes) restricted[scope] = await secretKey(sandbox, [scope])
  return {
    back_office_token: 'back_office_development_token',
    sandbox: await keysOf(sandbox),
    live: await keysOf(live),
    workspace_id,
    connection_id: 'conn_development',
    fixtures: {
      restricted: restricted as Record<KeyScope, string>,
      no_scope: await secretKey(sandbox, []),
      revoked: revoked.key,
      disabled_workspace: await otherWorkspace({ name: 'No API', api_enabled: false }),
      refunds_disabled_workspace: await otherWorkspace({ name: 'No refunds', refunds_enabled: false }),
      other_workspace: await otherWorkspace({ name: 'Somebody else' }),
    },
  }
}

async function created(
  engine: Engine,
  scope: Scope,
  key: { type: 'secret' | 'publishable'; scopes?: readonly KeyScope[] },
): Promise<{ id: string; key: string }> {
  const result = await engine.admin.keys.create(scope, key)
  if (result.isErr()) throw new Error('A key could not be created.')
  return result.value
}

async function seedCustomers(engine: Engine, scope: Scope): Promise<void> {
  for (const [reference, name] of [
    ['CUST-1001', 'Harbor Cafe'],
    ['CUST-1002', 'Juniper & Sons'],
    ['CUST-1003', 'Northwind Bakery'],
  ] as const) {
    const email = `billing@${name.toLowerCase().replace(/[^a-z]+/g, '-')}.example`
    await engine.admin.customers.create(scope, { reference, name, email, phone: '+1 555 0100' })
  }
}
