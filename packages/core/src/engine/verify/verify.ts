import { option, refuseWrongOptions } from '../../kernel/refuse-wrong-options.ts'
import type { Secrets } from '../../kernel/secrets.ts'
import type { DueRow, Scope, Store } from '../../ports/store.ts'
import { engineScope, type TableName } from '../../ports/tables.ts'
import { findWorkspace, workspaceNamed } from '../../workspaces/find-workspace.ts'
import { everyScope } from '../every-scope.ts'
import { checkedScope } from '../request/caller.ts'
import type { Around, Broken, Check, Judged } from './check.ts'
import { checkoutSessions } from './checkout-sessions.ts'
import { deliveries } from './deliveries.ts'
import { events } from './events.ts'
import { idempotencyKeys } from './idempotency-keys.ts'
import { invoices } from './invoices.ts'
import { paymentMethodSessions, paymentMethods } from './payment-methods.ts'
import { payments } from './payments.ts'
import { refunds } from './refunds.ts'
import { connections, integrations } from './sealed.ts'
import { brokenAtRest } from './stable-read.ts'
import { ledgerInvoices, syncRuns } from './sync-runs.ts'
import { tallied } from './tally.ts'
import { turnOfTheLoop } from './turn.ts'
import type { Violation } from './violation.ts'
import { webhookEndpoints } from './webhook-endpoints.ts'

export interface VerifyRequest {
  /** One workspace and environment; left out, all of them. Rejects if there is no such workspace. */
  scope?: Scope | undefined
  /** Stops after this many violations. Default 1000. */
  most?: number | undefined
  /** Also opens what is sealed. Default true; false for an engine that was not given the `secret` it was sealed with. */
  sealed?: boolean | undefined
}

export interface InvariantReport {
  /** Rows that were looked at, by table. */
  checked: Partial<Record<TableName, number>>
  /** Empty if everything that can be checked here holds. */
  violations: Violation[]
  /** False if it stopped at `most`. */
  complete: boolean
}

interface VerifyPorts {
  store: Store
  /** Engine time. */
  now: string
  /** Left out where nothing is to be opened. */
  secrets?: Pick<Secrets, 'opened'>
  sizes?: typeof default_sizes
}

const checks: readonly Check[] = [
  payments,
  refunds,
  paymentMethodSessions,
  paymentMethods,
  checkoutSessions,
  invoices,
  events,
  deliveries,
  webhookEndpoints,
  idempotencyKeys,
  syncRuns,
  ledgerInvoices,
  connections,
  integrations,
]

/** Rows judged in one turn of the event loop, and rows judged per walk over what is related to them. */
const default_sizes = { page_rows: 50, slice_rows: 50_000 }

/**
 * Checks the invariants of every committed step on the database of a running engine, and reports each row that breaks
 * one. Only reads, in pages; takes no lock. What seems broken is read again until two readings agree, so that rows
 * that are just changing are not reported.
 */
export async function verify(
  { store, now, secrets, sizes = default_sizes }: VerifyPorts,
  request: VerifyRequest = {},
): Promise<InvariantReport> {
  refuseWrongOptions('verify', request, {
    scope: option.any,
    most: option.unlimited(option.count),
    sealed: option.flag,
  })
  const { scope, most = 1_000, sealed = true } = request
  const checked: InvariantReport['checked'] = {}
  const violations: Violation[] = []
  const opened = (text: string) => (sealed ? secrets?.opened(text) : undefined)
  if (scope !== undefined) await workspaceNamed(store, checkedScope(scope).workspace)
  for await (const one of scope === undefined ? everyScope(store, sizes.page_rows) : [scope]) {
    for (const check of checks) {
      for await (const violation of broken({ store, now, opened, sizes, scope: one, check, checked })) {
        violations.push(violation)
        if (violations.length >= most) return { checked, violations, complete: false }
      }
    }
  }
  if (scope === undefined)
    for await (const violation of strays(store, sizes.page_rows)) violations.push(violation)
  return { checked, violations: violations.slice(0, most), complete: violations.length < most }
}

interface Walk extends Required<Omit<VerifyPorts, 'secrets'>>, Pick<Around, 'opened'> {
  scope: Scope
  check: Check
  checked: InvariantReport['checked']
}

/** What breaks a rule of one table, in one workspace and environment. */
async function* broken(walk: Walk): AsyncGenerator<Violation> {
  const { scope, checked } = walk
  const { table } = walk.check
  const told = new Set<string>()
  const isNew = ({ missing }: Broken) => missing === undefined || !told.has(missing)
  for await (const page of judgedPages(walk)) {
    checked[table] = (checked[table] ?? 0) + page.length
    for (const { id, broken } of page) {
      const rules = broken.some(isNew) ? await brokenAtRest(walk, id) : []
      for (const { invariant, says, missing } of rules.filter(isNew)) {
        if (missing !== undefined) told.add(missing)
        yield { invariant, says, table, id, ...scope }
      }
    }
  }
}

/** All rows of the table, page by page; what is related to them is gathered once for many pages. */
async function* judgedPages({ store, scope, now, opened, check, sizes }: Walk): AsyncGenerator<Judged[]> {
  const limit = sizes.page_rows
  let after: string | undefined
  for (;;) {
    const { pages, related } = await tallied({ store, scope, check }, { after, ...sizes })
    for (let left = pages; left > 0; left -= 1) {
      await turnOfTheLoop()
      const page = await store.read(scope, (rows) =>
        check.page({ rows, now, opened, ...related }, { after, limit }),
      )
      yield page
      if (page.length < limit) return
      after = page.at(-1)?.id
    }
  }
}

/** All that falls due is due before it. */
const end_of_time = '9999-12-31T23:59:59.999Z'

/** M47: rows of a workspace that is gone, one of each. Only rows with a `due_at` can be found without their workspace. */
async function* strays(store: Store, page_rows: number): AsyncGenerator<Violation> {
  const known = new Set([engineScope(false).workspace])
  let after: DueRow | null = null
  do {
    await turnOfTheLoop()
    const page: DueRow[] = await store.due({ at: end_of_time, after, limit: page_rows })
    for (const { table, id, workspace, livemode } of page) {
      if (known.has(workspace)) continue
      known.add(workspace)
      if (await findWorkspace(store, workspace)) continue
      yield { invariant: 'M47', table, id, workspace, livemode, says: 'is of a workspace that is not there' }
    }
    after = page[page_rows - 1] ?? null
  } while (after !== null)
}
