import { type Engine, type KeyScope, keyScopes, type Scope } from '@quittance/core'
import { development_connection } from './development-ledger.ts'
import type { DevFile } from './home.ts'
import { must } from './must.ts'

type Seed = Omit<DevFile, 'base_url' | 'back_office_url' | 'tokenizer_url' | 'demo'>

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
    (await createKey(engine, scope, { type: 'secret', scopes: [...scopes] })).key
  const keysOf = async (scope: Scope) => ({
    secret_key: await secretKey(scope),
    publishable_key: (await createKey(engine, scope, { type: 'publishable' })).key,
  })
  const otherWorkspace = async (switches: {
    name: string
    api_enabled?: boolean
    refunds_enabled?: boolean
  }) => secretKey({ workspace: (await admin.workspaces.create(switches)).id, livemode: false })

  const revoked = await createKey(engine, sandbox, { type: 'secret' })
  await admin.keys.revoke(sandbox, { id: revoked.id })
  const restricted: Partial<Record<KeyScope, string>> = {}
  for (const scope of keyScopes) restricted[scope] = await secretKey(sandbox, [scope])
  return {
    // Not a well-known one: it creates keys, and a page whose name resolves to this server could request them in a browser.
    back_office_token: engine.ids.secret(43),
    sandbox: await keysOf(sandbox),
    live: await keysOf(live),
    workspace_id,
    connection_id: await engine.backOffice.connect(sandbox, development_connection),
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

async function createKey(
  engine: Engine,
  scope: Scope,
  key: { type: 'secret' | 'publishable'; scopes?: KeyScope[] },
): Promise<{ id: string; key: string }> {
  return must(await engine.admin.keys.create(scope, key))
}

/** Customers, each with an invoice that is owed, and one in every other state there is. */
async function seedInvoices(engine: Engine, scope: Scope): Promise<void> {
  const { admin, clock } = engine
  const day = (days: number) => new Date(clock.now() + days * 86_400_000).toISOString().slice(0, 10)
  const customers = [
    { reference: 'CUST-1001', name: 'Harbor Cafe', currency: 'USD', total: 125_000, due: 14, ends: 'pay' },
    {
      reference: 'CUST-1002',
      name: 'Juniper & Sons',
      currency: 'USD',
      total: 48_050,
      due: -3,
      ends: 'cancel',
    },
    {
      reference: 'CUST-1003',
      name: 'Northwind Bakery',
      currency: 'CAD',
      total: 9_900,
      due: 30,
      ends: 'writeOff',
    },
  ] as const
  for (const { reference, name, currency, total, due, ends } of customers) {
    const email = `billing@${name.toLowerCase().replace(/[^a-z]+/g, '-')}.example`
    const contact = { reference, name, email, phone: '+1 555 0100' }
    const { id: customer } = must(await admin.customers.create(scope, contact))
    const number = reference.replace('CUST', 'INV')
    const terms = { customer, currency, invoice_date: day(-16) }
    const owed = { ...terms, number, external_id: `ERP-${number}`, total, due_date: day(due) }
    const { id } = must(await admin.invoices.draft(scope, owed))
    must(await admin.invoices.send(scope, { id }))
    const other = must(await admin.invoices.draft(scope, { ...terms, total: 1_000, due_date: day(-1) }))
    must(await admin.invoices.schedule(scope, { id: other.id }))
    if (ends === 'pay') await payInvoice(engine, scope, { id: other.id, amount: 1_000 })
    else must(await admin.invoices[ends](scope, { id: other.id }))
  }
}

/** Pays an invoice on its hosted page, which files no event: the event log is for the developer's own. */
async function payInvoice(engine: Engine, scope: Scope, owed: { id: string; amount: number }): Promise<void> {
  const server = await engine.caller(scope)
  const session = must(await engine.payment_method_sessions.create(server, {}))
  const browser = { ...server, key: 'publishable' as const, scopes: ['payment_methods:tokenize' as const] }
  const billing_details = { name: 'Harbor Cafe', postal_code: '94107' }
  const card = { token: 'tok_test_visa' }
  must(await engine.payment_method_sessions.confirm(browser, { id: session.id, card, billing_details }))
  const page = { ...server, key: 'page' as const, scopes: [] }
  must(await engine.invoices.pay(page, { ...owed, payment_method_session: session.id }))
}
