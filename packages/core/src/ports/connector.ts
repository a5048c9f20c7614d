import { z } from 'zod'
import { earlyPaymentDiscount } from '../invoices/invoice.ts'
import { in_english } from '../schema/in-english.ts'
import { currency, largest_amount, sum } from '../schema/money.ts'
import { isStorable } from '../schema/text.ts'

/**
 * Reads a merchant's ledger (ERP, accounting system), page by page. It writes nothing there, keeps nothing, and does not
 * retry: a sync run does, on a schedule that survives the process. `describeConnector` in the testing package checks this
 * page, except for `unavailable`, for which a ledger has to fail, and for discounts, which not every ledger has: test those
 * yourself.
 *
 * A sync run waits 30 s for a page of customers, or for a page of invoices and all pages of their customers. A page that
 * comes later is ignored: the ledger counts as unavailable.
 *
 * The same request on an unchanged ledger gives the same page. Following the cursors, starting with null, gives every
 * record that fits the filters once; a record that appears meanwhile may be included or not.
 */
export interface Connector {
  customers(request: CustomerPageRequest): PromiseLike<LedgerAnswer<LedgerCustomer>>
  invoices(request: InvoicePageRequest): PromiseLike<LedgerAnswer<LedgerInvoice>>
}

/** The address of a ledger and its credentials. The token never appears in a reason, a cursor or a log. */
export interface LedgerConnection {
  base_url: string
  site_id: string
  token: string
}

interface PageRequest {
  connection: LedgerConnection
  /** Null for the first page, then the cursor that the previous page gave. No page gives the cursor it was requested with. */
  cursor: string | null
  /** The most records a page may hold, 1 to 100. */
  limit: number
  /** Only records dated from `from` to `to`, both days included; null: any date. */
  dates: { from: string; to: string } | null
}

export interface CustomerPageRequest extends PageRequest {
  /** Only customers with one of these 1 to 1000 references (a connector may know them by e-mail as well); null: all. */
  ids: readonly string[] | null
}

export interface InvoicePageRequest extends PageRequest {
  /** Only invoices with one of these 1 to 1000 `external_id`s; null: all. An unknown id matches nothing. */
  ids: readonly string[] | null
  status: 'open' | 'any'
}

export type LedgerAnswer<LedgerRecord> =
  | {
      kind: 'page'
      records: LedgerRecord[]
      /** Unusable records: they are counted and logged, and do not stop the others. */
      rejected: RejectedRecord[]
      /** Where the next page starts: text without NUL or lone surrogates; null after the last one. */
      cursor: string | null
    }
  /** Temporary: no connection, no response in time, 429, 5xx. Worth a retry, but not before `retry_after_s`. */
  | { kind: 'unavailable'; reason: string; retry_after_s: number | null }
  /** Permanent: the token, the address or the response is wrong. A retry would change nothing. */
  | { kind: 'refused'; reason: string }

export interface RejectedRecord {
  /** The id that the ledger gave it, if any. */
  id: string | null
  /** Which field is wrong and how; never its value. */
  reason: string
}

const text = z.string().max(500).refine(isStorable, 'not storable text')
const key = text.min(1).max(100)

/** A customer as a ledger gives it; `reference` is the ledger's own name for it. */
export const ledgerCustomer = z.object({
  reference: key,
  name: text,
  email: text,
  phone: text,
  created_date: z.iso.date(),
})
export type LedgerCustomer = z.output<typeof ledgerCustomer>

/** An invoice as a ledger gives it. Amounts are in cents, dates without a time. */
export const ledgerInvoice = z.object({
  external_id: key,
  number: key.nullable(),
  /** The reference of the customer billed. */
  customer: key,
  status: z.enum(['open', 'paid', 'canceled']),
  currency,
  /** At most what one payment can pay, as for any invoice. */
  total: sum.max(largest_amount),
  amount_paid: sum,
  invoice_date: z.iso.date(),
  due_date: z.iso.date(),
  /** Left out by a ledger without discounts. */
  early_payment_discount: earlyPaymentDiscount.nullable().optional(),
})
export type LedgerInvoice = z.output<typeof ledgerInvoice>

/** Sorts what a ledger gave into valid and rejected records: the last step of a connector. */
export function readRecords<Schema extends z.ZodObject>(
  schema: Schema,
  given: readonly unknown[],
  id_field: keyof z.output<Schema> & string,
): { records: z.output<Schema>[]; rejected: RejectedRecord[] } {
  const records: z.output<Schema>[] = []
  const rejected: RejectedRecord[] = []
  for (const one of given) {
    const parsed = schema.safeParse(one, in_english)
    if (parsed.success) records.push(parsed.data)
    else rejected.push({ id: idOf(one, id_field), reason: reasonOf(parsed.error) })
  }
  return { records, rejected }
}

function idOf(given: unknown, field: string): string | null {
  if (typeof given !== 'object' || given === null) return null
  const id = (given as Record<string, unknown>)[field]
  return typeof id === 'string' || typeof id === 'number' ? String(id).slice(0, 100) : null
}

function reasonOf({ issues: [issue] }: z.ZodError): string {
  return issue === undefined ? 'invalid' : `${issue.path.join('.') || 'record'}: ${issue.message}`
}
