import type {
  Connector,
  LedgerAnswer,
  LedgerConnection,
  LedgerCustomer,
  LedgerInvoice,
} from '@quittance/core'
import { expect } from 'vitest'
import { misread_amounts } from '../amounts.ts'

/** What a ledger holds. The lists may contain invalid records, as in real ledgers. */
export interface LedgerContent {
  customers: object[]
  invoices: object[]
}

export interface OpenedLedger {
  connector: Connector
  connection: LedgerConnection
  /** A connection that this ledger does not know. */
  unknown: LedgerConnection
  close(): PromiseLike<void>
}

/** Declares one test of the suite on a ledger, of the content below unless told otherwise. */
export type Check = (
  sentence: string,
  run: (ledger: OpenedLedger) => Promise<void>,
  content?: LedgerContent,
) => void

interface Wanted {
  limit: number
  dates?: { from: string; to: string }
  ids?: readonly string[]
  status?: 'open' | 'any'
}

/** All matching records, following the cursors. None may be rejected, unless `may_be` says so. */
export async function readAll({ connector, connection }: OpenedLedger, wanted: Wanted, may_be?: 'rejected') {
  const { limit, dates = null, ids = null, status = 'any' } = wanted
  const request = { connection, limit, dates, ids }
  const look = (page: { rejected: object[]; cursor: string | null }) => {
    if (may_be === undefined) expect(page.rejected).toEqual([])
    expect(page.cursor ?? '').toSatisfy((text: string) => text.isWellFormed() && !text.includes('\0'))
    if (connection.token !== '') expect(page.cursor ?? '').not.toContain(connection.token)
  }
  const customers = await follow(limit, look, (cursor) => connector.customers({ ...request, cursor }))
  const invoices = await follow(limit, look, (cursor) => connector.invoices({ ...request, cursor, status }))
  return { customers, invoices }
}

async function follow<Kept>(
  limit: number,
  look: (page: Extract<LedgerAnswer<Kept>, { kind: 'page' }>) => void,
  ask: (cursor: string | null) => PromiseLike<LedgerAnswer<Kept>>,
): Promise<Kept[]> {
  const records: Kept[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < 200; pages += 1) {
    const page: Extract<LedgerAnswer<Kept>, { kind: 'page' }> = pageOf(await ask(cursor))
    expect(page.records.length).toBeLessThanOrEqual(limit)
    look(page)
    records.push(...page.records)
    if (page.cursor === null) return records
    expect(page.cursor).not.toBe(cursor)
    cursor = page.cursor
  }
  throw new Error('the pages do not end')
}

export function pageOf<Kept>(answer: LedgerAnswer<Kept>): Extract<LedgerAnswer<Kept>, { kind: 'page' }> {
  if (answer.kind !== 'page') throw new Error(`no page: ${answer.reason}`)
  return answer
}

export const two = (index: number) => String(index).padStart(2, '0')

/** An id; each twelfth has what a URL must not have as it is. */
const idOf = (letter: string, index: number) =>
  `${letter}-${two(index)}${index % 12 === 10 ? ' & Søn #1/2 +5%' : ''}`

export function customer(index: number): LedgerCustomer {
  return {
    reference: idOf('C', index),
    name: `Müller, "Søn" & Co 漢字 🧾 ${index}`,
    email: `Billing-${index}@example.com`,
    phone: index % 2 === 0 ? '' : '+1 555 0100',
    created_date: `2026-01-${two(1 + index)}`,
  }
}

export function invoice(index: number): LedgerInvoice {
  const status = (['open', 'paid', 'canceled'] as const)[index % 3] ?? 'open'
  const total = misread_amounts[Math.floor(index / 3) % misread_amounts.length] ?? 0
  // 1.15 times 100 is a little less in binary, too.
  const paid_of_open = index % 2 === 0 ? 0 : 115
  return {
    external_id: idOf('I', index),
    number: index % 4 === 0 ? null : `2026-${index}`,
    customer: idOf('C', index % 12),
    status,
    currency: index % 5 === 0 ? 'CAD' : 'USD',
    total,
    amount_paid: { open: paid_of_open, paid: total, canceled: 0 }[status],
    invoice_date: `2026-01-${two(1 + (index % 28))}`,
    due_date: `2026-03-${two(1 + (index % 31))}`,
  }
}

export const ledger = {
  customers: Array.from({ length: 12 }, (_, index) => customer(index)),
  invoices: Array.from({ length: 31 }, (_, index) => invoice(index)),
}

export function byReference(a: LedgerCustomer, b: LedgerCustomer): number {
  return a.reference < b.reference ? -1 : 1
}

export function byExternalId(a: LedgerInvoice, b: LedgerInvoice): number {
  return a.external_id < b.external_id ? -1 : 1
}
