import { hash } from 'node:crypto'
import { findOrInsert } from '../kernel/find-or-insert.ts'
import type { Unit } from '../kernel/operation.ts'
import { shifted } from '../schema/timestamps.ts'
import type { SyncOptions, SyncRunRow } from './sync-run.ts'
import { decideSyncRun, hold_ms } from './sync-run-machine.ts'

/**
 * The run of a sync: a new one, or the uncompleted one of an earlier request for the same, which is resumed. `held`: this
 * process runs it. False if another process does, and always with `useWorker`.
 */
export async function startSync(
  unit: Unit,
  { connection, options }: { connection: string; options: SyncOptions },
) {
  const { tx, now } = unit
  const unfinished_of = fingerprintOf(connection, options)
  return findOrInsert(async () => {
    const [known] = await tx.sync_runs.page({ where: { unfinished_of }, limit: 1 })
    const locked = known && (await tx.sync_runs.lock(known.id))
    if (locked?.unfinished_of === unfinished_of) return resume(unit, locked, options)
    const held = !options.useWorker
    const due_at = held ? shifted(now, hold_ms) : now
    const run = newRun(unit, { connection, options, unfinished_of, due_at })
    return (await tx.sync_runs.insertNew(run)) ? { run, held } : undefined
  })
}

async function resume({ tx, now }: Unit, run: SyncRunRow, options: SyncOptions) {
  const resumed = decideSyncRun(run, { on: 'asked again' }, now).unwrapOr(run)
  const free = resumed.due_at !== null && resumed.due_at <= now
  const held = free && !options.useWorker
  const slackUsername = options.slackUsername ?? run.options.slackUsername
  const told = { ...options, ...(slackUsername === undefined ? {} : { slackUsername }) }
  const next = { ...resumed, options: told, due_at: held ? shifted(now, hold_ms) : resumed.due_at }
  await tx.sync_runs.update(next)
  return { run: next, held }
}

/** Two syncs are the same if they read the same. Who runs them and who is notified does not matter. */
function fingerprintOf(connection: string, options: SyncOptions): string {
  const { jobType, allInvoices, startDate, endDate, invoiceIds, customerIds } = options
  const read = [connection, jobType, allInvoices, startDate, endDate, invoiceIds, customerIds]
  return hash('sha256', JSON.stringify(read))
}

function newRun(
  { scope, ids, now }: Unit,
  asked: Pick<SyncRunRow, 'connection' | 'options' | 'unfinished_of' | 'due_at'>,
): SyncRunRow {
  return {
    ...scope,
    id: ids.uuid(Date.parse(now)),
    ...asked,
    status: 'running',
    cursor: null,
    pages: 0,
    created: 0,
    updated: 0,
    unchanged: 0,
    skipped: 0,
    failures: 0,
    failure: null,
    created_at: now,
    finished_at: null,
    changed_at: now,
  }
}
