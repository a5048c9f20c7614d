import { accepted } from '../../../testing/src/builders/requests.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import type { Rows } from '../../../testing/src/invariants/rows.ts'
import { ok } from '../../src/kernel/result.ts'
import type { Answered } from './answers.ts'
import { update_customer } from './endpoints.ts'
import type { Ledger } from './ledger.ts'
import { reconcile } from './money.ts'
import { of_invoices, pay_invoice_page } from './pages.ts'
import { called, type Draw, type World } from './world.ts'

const everything = { jobType: 'sync_invoice', allInvoices: true, useWorker: false }

const changes = [
  { total: 1400 },
  { number: 'another' },
  { due_date: '2026-04-01' },
  { status: 'paid' },
  { status: 'canceled' },
  { status: 'open' },
] as const

/** Invoices that the ledger and payers here both move. Customers are the ledger's: what is changed here it changes back. */
export async function copyLedger(world: World): Promise<void> {
  const { sandbox, random } = world
  if (random.below(5) === 0) return
  await syncAll(world)
  const { data: invoices } = accepted(await sandbox.engine.invoices.list(sandbox.caller, {}))
  for (const { id } of invoices.slice(0, 2)) world.knows('invoice', id)
  for (const { external_id } of world.ledger.known)
    world.ledger.says({ external_id, ...random.pick(changes) })
}

/** Syncs until the ledger has given everything. */
export async function syncAll(world: World): Promise<void> {
  const { sandbox } = world
  const { engine, clock } = sandbox
  const connectionId = await world.one('connection')
  for (let tries = 0; tries < 40; tries += 1) {
    accepted(await engine.backOffice.syncHistorical({ ...everything, connectionId }))
    const runs = await engine.backOffice.syncRuns(connectionId)
    if (runs.every(({ status }) => status === 'completed')) return
    clock.advance(60_000)
    await engine.reconcile()
  }
  throw new Error('a sync comes to no end')
}

const sync: Draw = async (world) => {
  const { random } = world
  const connectionId = await world.one('connection')
  const jobType = random.pick(['sync_invoice', 'sync_invoice', 'sync_customer'])
  const some = jobType === 'sync_invoice' && random.below(3) === 0
  const only = some ? { invoiceIds: ['I-1', 'I-2'] } : {}
  const input = { ...everything, ...only, jobType, connectionId, useWorker: random.below(3) === 0 }
  return called(`sync ${JSON.stringify(input)}`, async ({ engine }) =>
    engine.backOffice.syncHistorical(input),
  )
}

const ledger_changes: Draw = async ({ ledger, random }) => {
  const external_id = `I-${1 + random.below(4)}`
  const change = random.pick(changes)
  return called(`the ledger says ${external_id} ${JSON.stringify(change)}`, async () => {
    ledger.says({ external_id, ...change })
    return ok(null)
  })
}

/** One of two organizations, users or slugs: only one of each may come to be. */
const onboard: Draw = async ({ random }) => {
  const named = (what: string) => `${what}-${random.below(2)}@example.com`
  const input = {
    organization: {
      email: named('office'),
      name: 'Acme',
      slug: named('slug'),
      phoneNumber: '',
      website: '',
    },
    ledger: [{ ledgerAPIBaseUrl: 'https://ledger.example.com', ledgerSiteId: '1', token: 'secret' }],
    integrations: [],
    user: { name: 'Ada', email: named('user'), password: 'a password' },
  }
  const { organization, user } = input
  return called(`onboard ${organization.slug} ${organization.email} ${user.email}`, async ({ engine }) =>
    engine.backOffice.onboardEntity(input),
  )
}

const organization_key: Draw = async ({ sandbox }) => {
  const { workspace } = sandbox.scope
  return called('organization key', async ({ engine }: Sandbox) =>
    engine.backOffice.createOrganizationKey(workspace),
  )
}

export const of_back_office: readonly Draw[] = [
  ...Array<Draw>(5).fill(sync),
  ledger_changes,
  onboard,
  organization_key,
  update_customer,
  reconcile,
  pay_invoice_page,
  ...of_invoices,
]

/** No two organizations share a name that is theirs alone. */
export function brokenNames(answers: readonly Answered[]): string[] {
  const taken = answers.flatMap(({ request, outcome }) =>
    outcome?.code === null ? (request.about.split('onboard ')[1]?.split(' ') ?? []) : [],
  )
  const twice = taken.filter((name, n) => taken.indexOf(name) !== n)
  return twice.map((name) => `two organizations have ${name}`)
}

/** Each record of the ledger is here once, and says what the ledger says, but where it is over. */
export function brokenCopies(ledger: Ledger, { invoices }: Rows): string[] {
  return ledger.known.flatMap(({ external_id, number, total, due_date }) => {
    const copies = invoices.filter((one) => one.external_id === external_id)
    const [copy] = copies
    if (copies.length !== 1 || copy === undefined) return [`${external_id} was copied ${copies.length} times`]
    const same =
      copy.number === number &&
      copy.due_date === due_date &&
      (copy.status === 'canceled' || copy.total === total)
    return same ? [] : [`${external_id} is ${JSON.stringify(copy)}`]
  })
}
