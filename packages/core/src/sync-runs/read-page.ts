import type {
  Connector,
  LedgerAnswer,
  LedgerConnection,
  LedgerCustomer,
  LedgerInvoice,
} from '../ports/connector.ts'
import type { Reads } from '../ports/store.ts'
import type { SyncOptions, SyncRunRow } from './sync-run.ts'

/** Records of one page: as many as one unit of work should write. */
const page_limit = 100

/** What a step has to store: a page of customers; or of invoices, with the customers they were billed to. */
export interface LedgerPage {
  customers: LedgerCustomer[]
  invoices: LedgerInvoice[]
  rejected: { id: string | null; reason: string }[]
  cursor: string | null
}

type Read = { kind: 'page'; page: LedgerPage } | Exclude<LedgerAnswer<never>, { kind: 'page' }>

export interface PageReading {
  connector: Connector
  connection: LedgerConnection
  read<Value>(work: (rows: Reads) => PromiseLike<Value>): Promise<Value>
}

/** The page a run is at. Nothing is written, and no transaction is open while the ledger is asked. */
export async function readPage(from: PageReading, { options, cursor }: SyncRunRow): Promise<Read> {
  const { connector, connection } = from
  const request = { connection, cursor, limit: page_limit, dates: datesOf(options) }
  if (options.jobType === 'sync_customer') {
    const answer = await connector.customers({ ...request, ids: options.customerIds ?? null })
    if (answer.kind !== 'page') return answer
    return moving({ ...answer, customers: answer.records, invoices: [] }, cursor)
  }
  const status = options.allInvoices ? 'any' : 'open'
  const answer = await connector.invoices({ ...request, ids: options.invoiceIds ?? null, status })
  if (answer.kind !== 'page') return answer
  const unknown = await unknownCustomers(from, answer.records)
  const billed = await readCustomers(from, unknown)
  if (billed.kind !== 'page') return billed
  // What is wrong with a customer shows in the invoices that are skipped for the lack of it.
  return moving({ ...answer, customers: billed.records, invoices: answer.records }, cursor)
}

/** A cursor that stays where it is would be followed for ever. */
function moving({ customers, invoices, rejected, cursor: next }: LedgerPage, cursor: string | null): Read {
  if (next !== null && next === cursor) return { kind: 'refused', reason: 'the cursor does not move' }
  return { kind: 'page', page: { customers, invoices, rejected, cursor: next } }
}

/** References that invoices name and no customer here has. */
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

/** All customers of these references that the ledger has: at most as many, so that the pages end. */
async function readCustomers(
  { connector, connection }: PageReading,
  ids: readonly string[],
): Promise<LedgerAnswer<LedgerCustomer>> {
  const records: LedgerCustomer[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < ids.length; pages += 1) {
    const answer: LedgerAnswer<LedgerCustomer> = await connector.customers({
      connection,
      cursor,
      limit: page_limit,
      dates: null,
      ids,
    })
    if (answer.kind !== 'page') return answer
    records.push(...answer.records)
    cursor = answer.cursor
    if (cursor === null) break
  }
  return { kind: 'page', records, rejected: [], cursor: null }
}

function datesOf({ startDate, endDate }: SyncOptions) {
  return startDate === undefined || endDate === undefined ? null : { from: startDate, to: endDate }
}
