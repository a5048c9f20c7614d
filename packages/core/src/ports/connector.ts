import { z } from 'zod'
import { earlyPaymentDiscount } from '../invoices/invoice.ts'
import { currency, largest_amount, sum } from '../schema/money.ts'

/**
 * Reads a merchant's ledger (ERP, accounting system), page by page. It writes nothing there, keeps nothing, and
 * does not try again: a sync run does, on a schedule that survives the process. `describeConnector` in the
 * testing package checks every sentence on this page.
 *
 * The same request on an unchanged ledger gives the same page. Following the cursors from null on gives every
 * record that fits the filters once; a record that appears meanwhile may be given or not.
 */
export interface Connector {
  customers(request: CustomerPageRequest): PromiseLike<LedgerAnswer<LedgerCustomer>>
  invoices(request: InvoicePageRequest): PromiseLike<LedgerAnswer<LedgerInvoice>>
}

/** Where a ledger is and what opens it. The token never appears in a reason, a cursor or a log. */
export interface LedgerConnection {
  base_url: string
  site_id: string
  token: string
}

interface PageRequest {
  connection: LedgerConnection
  /** Null for the first page, then what the page before gave: never the same one twice in a row. */
  cursor: string | null
  /** The most records a page may hold, 1 to 100. */
  limit: number
  /** Only records dated on one of these days or between them; null: of any day. */
  dates: { from: string; to: string } | null
}

export interface CustomerPageRequest extends PageRequest {
  /** Only customers with one of these references (a connector may know them by e-mail as well); null: all. */
  ids: readonly string[] | null
}

export interface InvoicePageRequest extends PageRequest {
  /** Only invoices with one of these `external_id`s; null: all. An id the ledger does not know gives nothing. */
  ids: readonly string[] | null
  status: 'open' | 'any'
}

export type LedgerAnswer<LedgerRecord> =
  | {
      kind: 'page'
      records: LedgerRecord[]
      /** What the ledger gave and nobody can use: counted and logged, and the others go on. */
      rejected: RejectedRecord[]
      /** Where the next page starts; null after the last one. */
      cursor: string | null
    }
  /** Not now: no connection, no answer in time, 429, 5xx. Worth trying again, not before `retry_after_s`. */
  | { kind: 'unavailable'; reason: string; retry_after_s: number | null }
  /** Not like this: the token, the address or the answer is wrong. Trying again would change nothing. */
  | { kind: 'refused'; reason: string }

export interface RejectedRecord {
  /** As the ledger names it, if it does. */
  id: string | null
  /** Which field is wrong and how; never its value. */
  reason: string
}

/** NUL and half surrogates cannot be stored everywhere. */
const text = z
  .string()
  .max(500)
  .refine((value) => value.isWellFormed() && !value.includes('\0'), 'not storable text')
const key = text.min(1).max(100)

export const ledgerCustomer = z.object({
  reference: key,
  name: text,
  email: text,
  phone: text,
  created_date: z.iso.date(),
})
export type LedgerCustomer = z.output<typeof ledgerCustomer>

export const ledgerInvoice = z.object({
  external_id: key,
  number: key.nullable(),
  /** The reference of the customer billed. */
  customer: key,
  status: z.enum(['open', 'paid', 'canceled']),
  currency,
  /** Up to what can be paid at once, as of any invoice. */
  total: sum.max(largest_amount),
  amount_paid: sum,
  invoice_date: z.iso.date(),
  due_date: z.iso.date(),
  /** Left out by a ledger that knows nothing of discounts. */
  early_payment_discount: earlyPaymentDiscount.nullable().optional(),
})
export type LedgerInvoice = z.output<typeof ledgerInvoice>

/** Sorts what a ledger gave into records and what cannot be one: a connector's last step. */
export function readRecords<Schema extends z.ZodObject>(
  schema: Schema,
  given: readonly unknown[],
  id_field: keyof z.output<Schema> & string,
): { records: z.output<Schema>[]; rejected: RejectedRecord[] } {
  const records: z.output<Schema>[] = []
  const rejected: RejectedRecord[] = []
  for (const one of given) {
    const parsed = schema.safeParse(one)
    if (parsed.success) records.push(parsed.data)
    else rejected.push({ id: idOf(one, id_field), reason: reasonOf(parsed.error) })
  }
  return { records, rejected }
}

function idOf(given: unknown, field: string): string | null {
  if (typeof given !== 'object' || given === null) return null
  const id = (given as Record<string, unknown>)[field]
  return typeof id === 'string' ? id.slice(0, 100) : null
}

function reasonOf({ issues: [issue] }: z.ZodError): string {
  return issue === undefined ? 'invalid' : `${issue.path.join('.') || 'record'}: ${issue.message}`
}
