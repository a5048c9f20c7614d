import { isError } from '../kernel/is-error.ts'
import type { Unit, Units } from '../kernel/operation.ts'
import { withLimit } from '../kernel/with-limit.ts'
import type { Clock } from '../ports/clock.ts'
import type { Connector, RejectedRecord } from '../ports/connector.ts'
import type { Logger } from '../ports/logger.ts'
import type { Notifier } from '../ports/notifier.ts'
import { shifted } from '../schema/timestamps.ts'
import { type LedgerPage, readPage } from './read-page.ts'
import type { SyncCounts, SyncRunRow } from './sync-run.ts'
import { decideSyncRun, hold_ms, type SyncRunTrigger } from './sync-run-machine.ts'
import { type Upserted, upsertCustomer, upsertInvoice } from './upsert-records.ts'

export interface SyncPorts {
  connectors: Readonly<Record<string, Connector | undefined>>
  notifier: Pick<Notifier, 'syncFinished'>
  logger: Logger
  clock: Clock
}

/**
 * One step of a sync run: holds it, asks the ledger for the page it is at, and stores the records together with the
 * cursor of the next page. Null if there is nothing to do: the run is over, or another process holds it (`held`: this
 * one does). If the process dies in a step, another repeats the step once the hold has run out.
 */
export async function stepSync(
  ports: SyncPorts,
  units: Units,
  { id, held }: { id: string; held: boolean },
): Promise<SyncRunRow | null> {
  const taken = await units.write((unit) => hold(unit, { id, held }))
  if (taken === null) return null
  const { run, asked_at } = taken
  const reply = await ask(ports, units, run)
  const recorded = await units.write((unit) => record(unit, run, { reply, asked_at, held }))
  if (recorded === null) return null
  warnOfSkipped(ports.logger, run, recorded.skipped)
  report(ports, recorded.run)
  return recorded.run
}

async function hold({ tx, now }: Unit, { id, held }: { id: string; held: boolean }) {
  const run = await tx.sync_runs.lock(id)
  if (run?.status !== 'running') return null
  if (!held && (run.due_at === null || run.due_at > now)) return null
  const next: SyncRunRow = { ...run, due_at: shifted(now, hold_ms) }
  await tx.sync_runs.update(next)
  return { run: next, asked_at: now }
}

/** The page that a run is at, or why there is none. */
type Reply = { page: LedgerPage } | Extract<SyncRunTrigger, { on: 'unavailable' | 'refused' }>

/** The time for all pages that a step reads: half of its hold, so that nobody takes the run over meanwhile. */
const answers_ms = hold_ms / 2

async function ask({ connectors, logger, clock }: SyncPorts, units: Units, run: SyncRunRow): Promise<Reply> {
  const row = await units.read((rows) => rows.connections.get(run.connection))
  const connector = row && connectors[row.kind]
  if (!connector) return { on: 'refused', reason: 'no connector reads this connection' }
  const { base_url, site_id, encrypted_token } = row
  const connection = { base_url, site_id, token: units.secrets.decrypt(encrypted_token) }
  try {
    const answer = await withLimit(clock, answers_ms, (inTime) => {
      const limited: Connector = {
        customers: (request) => inTime(connector.customers(request)),
        invoices: (request) => inTime(connector.invoices(request)),
      }
      return readPage({ connector: limited, connection, read: units.read }, run)
    })
    if (answer.kind === 'page') return { page: answer.page }
    const { reason } = answer
    if (answer.kind === 'refused') return { on: 'refused', reason }
    return { on: 'unavailable', reason, retry_after_s: answer.retry_after_s }
  } catch (fault) {
    // Only the name of the fault: its message comes from the connector, and may contain secrets of the request.
    const reason = isError(fault) ? fault.name : 'fault'
    logger.error('a connector failed', { run: run.id, kind: row.kind, fault: reason })
    return { on: 'unavailable', reason: `the connector failed: ${reason}`, retry_after_s: null }
  }
}

/** Stores what the ledger gave, unless the run has moved since the ledger was asked. */
async function record(
  unit: Unit,
  seen: SyncRunRow,
  { reply, asked_at, held }: { reply: Reply; asked_at: string; held: boolean },
) {
  const run = await unit.tx.sync_runs.lock(seen.id)
  const moved = run?.pages !== seen.pages || run.failures !== seen.failures || run.cursor !== seen.cursor
  if (!run || moved) return null
  const { trigger, skipped } =
    'page' in reply
      ? await storePage(unit, run, { page: reply.page, asked_at, held })
      : { trigger: reply, skipped: [] }
  const decided = decideSyncRun(run, trigger, unit.now)
  if (decided.isErr()) return null
  await unit.tx.sync_runs.update(decided.value)
  return { run: decided.value, skipped }
}

/** Customers first, because invoices name them. Sorted, because all runs must lock them in the same order. */
async function storePage(
  unit: Unit,
  run: SyncRunRow,
  { page, asked_at, held }: { page: LedgerPage; asked_at: string; held: boolean },
): Promise<{ trigger: SyncRunTrigger; skipped: RejectedRecord[] }> {
  const done = { created: 0, updated: 0, unchanged: 0 }
  const skipped = [...page.rejected]
  const of_customers = run.options.jobType === 'sync_customer'
  const count = (id: string, upserted: Upserted) => {
    if (typeof upserted === 'string') done[upserted] += 1
    else skipped.push({ id, reason: upserted.skipped })
  }
  for (const one of page.customers.toSorted((a, b) => compare(a.reference, b.reference))) {
    const upserted = await upsertCustomer(unit, one)
    if (of_customers) count(one.reference, upserted)
  }
  for (const one of page.invoices.toSorted((a, b) => compare(a.external_id, b.external_id))) {
    count(one.external_id, await upsertInvoice(unit, { connection: run.connection, asked_at }, one))
  }
  const { cursor } = page
  const counts: SyncCounts = { ...done, skipped: skipped.length }
  if (cursor === null) return { trigger: { on: 'last page stored', counts }, skipped }
  return { trigger: { on: 'page stored', counts, cursor, held }, skipped }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** How many skipped records are logged: as many as a page holds. A file gives all its rejected ones with its first page. */
const told_records = 100

/** Logs what was skipped and why, so that somebody can fix it. */
function warnOfSkipped(
  logger: Logger,
  { id: run, connection }: SyncRunRow,
  skipped: readonly RejectedRecord[],
): void {
  const records = skipped.slice(0, told_records)
  if (records.length === 0) return
  logger.warn('a ledger returned unusable records', { run, connection, count: skipped.length, records })
}

/** Logs the progress, and notifies whoever requested the sync of its end. */
function report({ notifier, logger }: SyncPorts, run: SyncRunRow): void {
  const { workspace, livemode, id, connection, status, pages, created, updated, unchanged, skipped } = run
  const progress = { pages, created, updated, unchanged, skipped }
  logger.info('a historical sync progressed', {
    workspace,
    run: id,
    connection,
    status,
    ...progress,
    failure: run.failure,
  })
  const { slackUsername: slack_username } = run.options
  if (status === 'running' || slack_username === undefined) return
  notifier.syncFinished({ workspace, livemode, connection, run: id, status, slack_username, ...progress })
}
