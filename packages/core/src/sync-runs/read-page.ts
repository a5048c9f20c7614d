import type { z } from 'zod'
import {
  type Connector,
  type LedgerAnswer,
  type LedgerConnection,
  type LedgerCustomer,
  type LedgerInvoice,
  ledgerCustomer,
  ledgerInvoice,
  type RejectedRecord,
  readRecords,
} from '../ports/connector.ts'
import type { Reads } from '../ports/store.ts'
import { isStorable } from '../schema/text.ts'
import type { SyncOptions, SyncRunRow } from './sync-run.ts'

/** Records per page: as many as one unit of work should write. */
const page_limit = 100

/** What a step stores: a page of customers, or a page of invoices with the billed customers that are unknown here. */
export interface LedgerPage {
  customers: LedgerCustomer[]
  invoices: LedgerInvoice[]
  rejected: RejectedRecord[]
  cursor: string | null
}

type Unread = Exclude<LedgerAnswer<never>, { kind: 'page' }>
type Read = { kind: 'page'; page: LedgerPage } | Unread

interface PageReading {
  connector: Connector
  connection: LedgerConnection
  read<Value>(work: (rows: Reads) => PromiseLike<Value>): Promise<Value>
}

/**
 * Reads the page that a run is at. Writes nothing, and holds no transaction while it asks the ledger. Throws if the connector
 * answers what its port does not know.
 */
export async function readPage(from: PageReading, { options, cursor }: SyncRunRow): Promise<Read> {
  const { connector, connection } = from
  const request = { connection, cursor, limit: page_limit, dates: datesOf(options) }
  if (options.jobType === 'sync_customer') {
    const ids = options.customerIds ?? null
    const answer = checked(ledgerCustomer, 'reference', await connector.customers({ ...request, ids }))
    if (answer.kind !== 'page') return answer
    return moving({ ...answer, customers: answer.records, invoices: [] }, cursor)
  }
  const status = options.allInvoices ? 'any' : 'open'
  const ids = options.invoiceIds ?? null
  const given = await connector.invoices({ ...request, ids, status })
  const answer = checked(ledgerInvoice, 'external_id', given)
  if (answer.kind !== 'page') return answer
  const unknown = await unknownCustomers(from, answer.records)
  const billed = await readCustomers(from, unknown)
  if (billed.kind !== 'page') return billed
  const { invoices, rejected } = billable(answer.records, unknown, billed)
  const page = { customers: billed.records, invoices, rejected: [...answer.rejected, ...rejected] }
  return moving({ ...page, cursor: answer.cursor }, cursor)
}

/** Checks an answer, and each of its records: an invalid one (a total in dollars) is rejected alone, not with its page. */
function checked<Schema extends z.ZodObject>(
  schema: Schema,
  id_field: keyof z.output<Schema> & string,
  answer: LedgerAnswer<z.output<Schema>>,
): LedgerAnswer<z.output<Schema>> {
  if (answer.kind !== 'page') return known(answer)
  const { records, rejected } = readRecords(schema, answer.records, id_field)
  return { ...answer, records, rejected: [...answer.rejected, ...rejected] }
}

function known(answer: Unread): Unread {
  // NaN where a connector parsed a date as a number.
  const waits = answer.kind === 'unavailable' && !Number.isNaN(Number(answer.retry_after_s ?? 0))
  if (typeof answer.reason === 'string' && (answer.kind === 'refused' || waits)) return answer
  throw new TypeError('The connector answers what its port does not know.')
}

/** Rejects the invoices of customers that the ledger gave as unusable records, for the same reason. */
function billable(
  invoices: readonly LedgerInvoice[],
  unknown: readonly string[],
  billed: Extract<LedgerAnswer<LedgerCustomer>, { kind: 'page' }>,
) {
  const usable = new Set(billed.records.map(({ reference }) => reference))
  const reasons = new Map(billed.rejected.map(({ id, reason }) => [id, reason]))
  const reasonOf = ({ customer }: LedgerInvoice) =>
    unknown.includes(customer) && !usable.has(customer) ? reasons.get(customer) : undefined
  return {
    invoices: invoices.filter((one) => reasonOf(one) === undefined),
    rejected: invoices.flatMap((one): RejectedRecord[] => {
      const reason = reasonOf(one)
      return reason === undefined ? [] : [{ id: one.external_id, reason: `its customer: ${reason}` }]
    }),
  }
}

/**
 * Refuses a cursor that does not advance, which would be followed for ever, and one that cannot be stored, with which every
 * retry would fail.
 */
function moving({ customers, invoices, rejected, cursor: next }: LedgerPage, cursor: string | null): Read {
  const lists = [customers, invoices, rejected].every(Array.isArray)
  if (!lists || (next !== null && typeof next !== 'string')) throw new TypeError('This is no page.')
  if (next !== null && next === cursor) return { kind: 'refused', reason: 'the cursor does not move' }
  if (next !== null && !isStorable(next))
    return { kind: 'refused', reason: 'the cursor is not storable text' }
  return { kind: 'page', page: { customers, invoices, rejected, cursor: next } }
}

/** References in these invoices that no customer here has. */
async function unknownCustomers(
  { read }: PageReading,
  invoices: readonly LedgerInvoice[],
): Promise<string[]> {
  const named = [...new Set(invoices.map(({ customer }) => customer))]
  return read(async (rows) => {
    const unknown: string[] = []
    for (const reference of named) {
      const [known] = await rows.customers.page({ where: { reference }, limit: 1 })
      if (!known) unknown.push(reference)
    }
    return unknown
  })
}

/** The most pages read for the customers of one page of invoices: some may be short, or empty, but they have to end. */
const customer_pages = 100

/** All customers that the ledger has for these references. */
async function readCustomers(
  { connector, connection }: PageReading,
  ids: readonly string[],
): Promise<LedgerAnswer<LedgerCustomer>> {
  const records: LedgerCustomer[] = []
  const rejected: RejectedRecord[] = []
  let cursor: string | null = null
  for (let pages = 0; ids.length > 0 && pages < customer_pages; pages += 1) {
    const given = await connector.customers({ connection, cursor, limit: page_limit, dates: null, ids })
    const answer: LedgerAnswer<LedgerCustomer> = checked(ledgerCustomer, 'reference', given)
    if (answer.kind !== 'page') return answer
    records.push(...answer.records)
    rejected.push(...answer.rejected)
    cursor = answer.cursor
    if (cursor === null) break
  }
  return { kind: 'page', records, rejected, cursor: null }
}

function datesOf({ startDate, endDate }: SyncOptions) {
  return startDate === undefined || endDate === undefined ? null : { from: startDate, to: endDate }
}
