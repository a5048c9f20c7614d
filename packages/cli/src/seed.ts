import {
  type DomainError,
  type Engine,
  type KeyScope,
  keyScopes,
  type Result,
  type Scope,
} from '@quittance/core'
import type { DevFile } from './home.ts'

export type Seed = Omit<DevFile, 'base_url' | 'back_office_url'>

/** Whether the keys of an earlier start still open this database. */
export async function isSeeded(engine: Engine, seed: Seed): Promise<boolean> {
  const known = await engine.authenticate(`Bearer ${seed.sandbox.secret_key}`, {
    ip_address: null,
    user_agent: null,
  })
  return known.isOk()
}

/** A workspace to work with, keys of every kind, and workspaces that answer differently. */
export async function seed(engine: Engine): Promise<Seed> {
  const { admin } = engine
  const { id: workspace_id } = await admin.workspaces.create({ name: 'Acme Supply' })
  const sandbox = { workspace: workspace_id, livemode: false }
  const live = { workspace: workspace_id, livemode: true }
  await seedInvoices(engine, sandbox)

  const secretKey = async (scope: Scope, scopes: readonly KeyScope[] = keyScopes) =>
    (await created(engine, scope, { type: 'secret', scopes: [...scopes] })).key
  const keysOf = async (scope: Scope) => ({
    secret_key: await secretKey(scope),
    publishable_key: (await created(engine, scope, { type: 'publishable' })).key,
  })
  const otherWorkspace = async (switches: {
    name: string
    api_enabled?: boolean
    refunds_enabled?: boolean
  }) => secretKey({ workspace: (await admin.workspaces.create(switches)).id, livemode: false })

  const revoked = await created(engine, sandbox, { type: 'secret' })
  await admin.keys.revoke(sandbox, { id: revoked.id })
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
  key: { type: 'secret' | 'publishable'; scopes?: KeyScope[] },
): Promise<{ id: string; key: string }> {
  return must(await engine.admin.keys.create(scope, key))
}

/** Customers, and an invoice in each state that one can be in. */
async function seedInvoices({ admin, clock }: Engine, scope: Scope): Promise<void> {
  const day = (days: number) => new Date(clock.now() + days * 86_400_000).toISOString().slice(0, 10)
  const invoices = [
    { reference: 'CUST-1001', name: 'Harbor Cafe', number: 'INV-1001', total: 125_000, due: 14 },
    { reference: 'CUST-1002', name: 'Juniper & Sons', number: 'INV-1002', total: 48_050, due: -3 },
    { reference: 'CUST-1003', name: 'Northwind Bakery', number: 'INV-1003', total: 9_900, due: 30 },
  ]
  for (const { reference, name, number, total, due } of invoices) {
    const email = `billing@${name.toLowerCase().replace(/[^a-z]+/g, '-')}.example`
    const customer = must(
      await admin.customers.create(scope, { reference, name, email, phone: '+1 555 0100' }),
    )
    const terms = { customer: customer.id, currency: 'USD' as const, invoice_date: day(-16) }
    const invoice = must(
      await admin.invoices.draft(scope, {
        ...terms,
        number,
        external_id: `ERP-${number}`,
        total,
        due_date: day(due),
      }),
    )
    must(await admin.invoices.send(scope, { id: invoice.id }))
    const settled = must(await admin.invoices.draft(scope, { ...terms, total: 1_000, due_date: day(-1) }))
    must(await admin.invoices.schedule(scope, { id: settled.id }))
    if (due > 0) must(await admin.invoices.writeOff(scope, { id: settled.id }))
    else must(await admin.invoices.cancel(scope, { id: settled.id }))
  }
}

function must<Value>(result: Result<Value, DomainError>): Value {
  if (result.isErr()) throw new Error(`Seeding was refused: ${result.error.code}.`)
  return result.value
}
