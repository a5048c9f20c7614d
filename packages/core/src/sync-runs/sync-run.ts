import { z } from 'zod'
import { sum } from '../schema/money.ts'
import { statefulRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

const syncRunStatus = z.enum(['running', 'completed', 'failed'])

const ids = z.array(z.string().min(1).max(100)).min(1).max(1000)

/** The options of a historical sync (specification: Back-office endpoints), named as in its request. */
export const syncOptions = z.strictObject({
  jobType: z.enum(['sync_customer', 'sync_invoice']),
  /** True: all invoices; false: only open ones. */
  allInvoices: z.boolean().default(false),
  /** Leave all of it to the reconciler. */
  useWorker: z.boolean().default(false),
  startDate: z.iso.date().optional(),
  endDate: z.iso.date().optional(),
  invoiceIds: ids.optional(),
  customerIds: ids.optional(),
  /** Whom to notify when the sync is over, without the leading @. */
  slackUsername: z
    .string()
    .max(80)
    .regex(/^[^@\s]/, 'without the leading @')
    .optional(),
})
export type SyncOptions = z.output<typeof syncOptions>

/**
 * One historical sync and its progress. The records of a page and the cursor of the next are saved in one unit of
 * work, so that an interrupted run continues where it stopped.
 */
export const syncRunRow = z.object({
  ...statefulRow,
  id: z.uuid(),
  connection: z.string(),
  status: syncRunStatus,
  options: syncOptions,
  /** Digest of the connection and of what is read, until it is completed: the same sync requested again is this run. */
  unfinished_of: z.string().nullable(),
  /** The connector's cursor; null at the start and at the end. */
  cursor: z.string().nullable(),
  pages: sum,
  created: sum,
  updated: sum,
  unchanged: sum,
  /** Records that the connector rejected, and invoices that `upsertInvoice` skipped. */
  skipped: sum,
  /** How often in a row the ledger did not give a page. */
  failures: sum,
  /** What stopped the run, or what it waits for. */
  failure: z
    .object({ code: z.enum(['ledger_unavailable', 'ledger_refused']), reason: z.string() })
    .nullable(),
  created_at: timestamp,
  finished_at: timestamp.nullable(),
})
export type SyncRunRow = z.output<typeof syncRunRow>
export type SyncCounts = Pick<SyncRunRow, 'created' | 'updated' | 'unchanged' | 'skipped'>
