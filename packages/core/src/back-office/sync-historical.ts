import { z } from 'zod'
import { scopeOfConnection } from '../connections/connection-id.ts'
import type { Units } from '../kernel/operation.ts'
import { err, ok, type Result } from '../kernel/result.ts'
import { second_ms } from '../schema/timestamps.ts'
import { startSync } from '../sync-runs/start-sync.ts'
import { stepSync } from '../sync-runs/step-sync.ts'
import { type SyncOptions, type SyncRunRow, syncOptions } from '../sync-runs/sync-run.ts'
import { type BackOfficeError, refuse } from './back-office-error.ts'
import type { BackOfficePorts } from './back-office-ports.ts'
import { readFields } from './read-fields.ts'

const syncRequest = syncOptions.extend({ connectionId: z.string().min(1) })

export interface HistoricalSync {
  message: string
  connectionId: string
  mode: 'LOCAL' | 'WORKER'
  /** The options as requested; null for those left out. */
  syncOptions: { [Option in keyof SyncOptions]-?: NonNullable<SyncOptions[Option]> | null }
}

/** A request runs at most this much of a sync; the rest continues in the background. */
const local_pages = 20
const local_ms = 10 * second_ms

/** `POST /back-office/sync/historical`: runs a sync in this process, or leaves it to the reconciler. */
export async function syncHistorical(
  ports: BackOfficePorts,
  input: unknown,
): Promise<Result<HistoricalSync, BackOfficeError>> {
  const read = readFields(syncRequest, input)
  if (read.isErr()) return err(read.error)
  const { connectionId, ...options } = read.value
  const contradiction = contradictionIn(options)
  if (contradiction !== null) return refuse('bad_request', contradiction)
  const scope = scopeOfConnection(connectionId)
  const connection = scope && (await ports.store.read(scope, (rows) => rows.connections.get(connectionId)))
  if (!connection) return refuse('not_found', 'There is no such connection.')
  if (!ports.connectors[connection.kind]) {
    return refuse('bad_request', `No connector is configured for connections of the kind ${connection.kind}.`)
  }
  const units = ports.unitsOf(scope)
  const { run, held } = await units.write((unit) => startSync(unit, { connection: connectionId, options }))
  const last = held ? await runHere(ports, units, run) : run
  if (last.status === 'failed') return refuse('bad_request', `The sync stopped: ${last.failure?.reason}.`)
  const mode = options.useWorker ? ('WORKER' as const) : ('LOCAL' as const)
  return ok({ message: messageOf(last, { held, mode }), connectionId, mode, syncOptions: echo(options) })
}

function echo(options: SyncOptions): HistoricalSync['syncOptions'] {
  const {
    startDate = null,
    endDate = null,
    invoiceIds = null,
    customerIds = null,
    slackUsername = null,
  } = options
  return { ...options, startDate, endDate, invoiceIds, customerIds, slackUsername }
}

function contradictionIn({
  startDate,
  endDate,
  invoiceIds,
  customerIds,
  jobType,
}: SyncOptions): string | null {
  if (invoiceIds && (startDate ?? endDate) !== undefined) return 'Send a date range or invoiceIds, not both.'
  if ((startDate === undefined) !== (endDate === undefined))
    return 'A date range has a startDate and an endDate.'
  if (startDate !== undefined && endDate !== undefined && startDate > endDate)
    return 'The startDate comes after the endDate.'
  if (customerIds && jobType !== 'sync_customer') return 'customerIds go with the jobType sync_customer.'
  return invoiceIds && jobType !== 'sync_invoice' ? 'invoiceIds go with the jobType sync_invoice.' : null
}

/** Runs a sync in this process until it is over, has to wait for the ledger, or has taken long enough. */
async function runHere(ports: BackOfficePorts, units: Units, run: SyncRunRow): Promise<SyncRunRow> {
  const until_ms = ports.clock.real() + local_ms
  let last = run
  for (let pages = 0; pages < local_pages && ports.clock.real() < until_ms; pages += 1) {
    const next = await stepSync(ports, units, { id: run.id, held: true })
    if (next === null) return last
    last = next
    if (next.status !== 'running' || next.failures > 0) return next
  }
  await units.write(async ({ tx, now }) => {
    const held = await tx.sync_runs.lock(run.id)
    if (held?.status === 'running' && held.failures === 0) await tx.sync_runs.update({ ...held, due_at: now })
  })
  return last
}

function messageOf(run: SyncRunRow, { held, mode }: { held: boolean; mode: 'LOCAL' | 'WORKER' }): string {
  const { created, updated, unchanged, skipped } = run
  const counts = `${created} created, ${updated} updated, ${unchanged} unchanged, ${skipped} skipped`
  if (run.status === 'completed') return `Historical sync completed: ${counts}.`
  if (mode === 'WORKER') return `Historical sync queued. So far: ${counts}.`
  if (!held) return `Historical sync is running already. So far: ${counts}.`
  const waiting = run.failure ? `The ledger is not available (${run.failure.reason}). ` : ''
  return `Historical sync started. ${waiting}It goes on in the background. So far: ${counts}.`
}
