import {
  type Connector,
  type DomainError,
  type Engine,
  type KeyScope,
  keyScopes,
  type LedgerAnswer,
  type LedgerCustomer,
  type LedgerInvoice,
  type Result,
  type Scope,
} from '@quittance/core'
import type { DevFile } from './home.ts'

export type Seed = Omit<DevFile, 'base_url' | 'back_office_url' | 'tokenizer_url' | 'demo'>

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

const development_connection = { kind: 'development', base_url: '', site_id: 'acme', token: '' }

/** The ledger of the development connection: a few records that do not change, in one page each. */
export const developmentConnector: Connector = {
  async customers({ dates, ids }) {
    return onePage(ledger_customers.filter((one) => fits(one.reference, one.created_date, { dates, ids })))
  },
  async invoices({ dates, ids, status }) {
    const wanted = ledger_invoices.filter((one) => status === 'any' || one.status === status)
    return onePage(wanted.filter((one) => fits(one.external_id, one.invoice_date, { dates, ids })))
  },
}

type Filters = Pick<Parameters<Connector['customers']>[0], 'dates' | 'ids'>

function fits(id: string, date: string, { dates, ids }: Filters): boolean {
  if (ids !== null && !ids.includes(id)) return false
  return dates === null || (dates.from <= date && date <= dates.to)
}

function onePage<Kept>(records: Kept[]): LedgerAnswer<Kept> {
  return { kind: 'page', records, rejected: [], cursor: null }
}

const ledger_customers: LedgerCustomer[] = ['Larch Printing', 'Cove Marine', 'Summit Dental'].map(
  (name, index) => ({
    reference: `CUST-200${index + 1}`,
    name,
    email: `accounts@${name.toLowerCase().replace(' ', '-')}.example`,
    phone: '+1 555 0200',
    created_date: `2025-10-0${index + 1}`,
  }),
)

const ledger_invoices: LedgerInvoice[] = (['open', 'open', 'paid', 'canceled', 'open'] as const).map(
  (status, index) => ({
    external_id: `ERP-INV-200${index + 1}`,
    number: `INV-200${index + 1}`,
    customer: `CUST-200${(index % 3) + 1}`,
    status,
    currency: 'USD',
    total: 20_000 + index * 1_250,
    amount_paid: status === 'paid' ? 20_000 + index * 1_250 : 0,
    invoice_date: `2025-11-0${index + 1}`,
    due_date: `2025-12-0${index + 1}`,
  }),
)

async function created(
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

/** Pays an invoice on its hosted page, which files no event: the log is the developer's own to fill. */
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

function must<Value>(result: Result<Value, DomainError>): Value {
  if (result.isErr()) throw new Error(`Seeding was refused: ${result.error.code}.`)
  return result.value
}
