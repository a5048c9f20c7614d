import { z } from 'zod'
import { sum } from '../schema/money.ts'
import { statefulRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

export const syncRunStatus = z.enum(['running', 'completed', 'failed'])

const ids = z.array(z.string().min(1).max(100)).min(1).max(1000)

/** What a historical sync is asked to do (specification: Back-office endpoints), in the words of its request. */
export const syncOptions = z.strictObject({
  jobType: z.enum(['sync_customer', 'sync_invoice']),
  /** All invoices, or only open ones. */
  allInvoices: z.boolean().default(false),
  /** Leave all of it to the reconciler. */
  useWorker: z.boolean().default(false),
  startDate: z.iso.date().optional(),
  endDate: z.iso.date().optional(),
  invoiceIds: ids.optional(),
  customerIds: ids.optional(),
  /** Whom the notifier tells when it is over, without the leading @. */
  slackUsername: z
    .string()
    .max(80)
    .regex(/^[^@\s]/, 'without the leading @')
    .optional(),
})
export type SyncOptions = z.output<typeof syncOptions>

/**
 * One historical sync, and how far it is: what a page brought and where the next one starts are saved in one
 * unit of work, so that a run that was cut off goes on where it stopped.
 */
export const syncRunRow = z.object({
  ...statefulRow,
  id: z.uuid(),
  connection: z.string(),
  status: syncRunStatus,
  options: syncOptions,
  /** Connection and options while it is not completed: the same sync asked again is this run. */
  unfinished_of: z.string().nullable(),
  /** The connector's; null at the start and at the end. */
  cursor: z.string().nullable(),
  pages: sum,
  created: sum,
  updated: sum,
  unchanged: sum,
  /** Records nobody can use, and invoices whose customer the ledger does not know. */
  skipped: sum,
  /** Pages in a row that the ledger did not give. */
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
