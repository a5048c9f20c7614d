import type { InvoiceRow } from '../invoices/invoice.ts'
import { decideInvoice, decideMoney } from '../invoices/invoice-machine.ts'
import type { LedgerInvoice } from '../ports/connector.ts'

/**
 * An invoice after its ledger spoke. Number, dates and total are the ledger's. The amounts are the ledger's as
 * long as no money moved here (`ledger_paid` is what the ledger said last); once it did they stay, and the
 * status follows from them. A settled invoice is opened again only if the ledger says so and it owes money.
 */
export function mergeInvoice(
  invoice: InvoiceRow,
  said: LedgerInvoice,
  { ledger_paid, now }: { ledger_paid: number; now: string },
): InvoiceRow {
  const { number, due_date, invoice_date, total } = said
  const own_money = invoice.amount_pending > 0 || invoice.amount_paid !== ledger_paid
  const early_payment_discount = discountOf(invoice, said)
  const named: InvoiceRow = { ...invoice, number, due_date, invoice_date, early_payment_discount }
  // Canceled is final, and what was drafted here is not the ledger's to send.
  if (invoice.status === 'canceled' || invoice.status === 'draft') return keptIfEqual(invoice, named, now)
  const totalled: InvoiceRow = { ...named, total, written_off: writtenOff(named, said, own_money) }
  const paid = own_money ? 0 : said.amount_paid - invoice.amount_paid
  const returned = said.status === 'open' && (!own_money || total > invoice.total)
  const moved = decideMoney(totalled, { paid, pending: 0 }, { returned, now })
  const cancel = said.status === 'canceled' && moved.amount_pending === 0
  return keptIfEqual(invoice, cancel ? decideInvoice(moved, 'cancel', now).unwrapOr(moved) : moved, now)
}

/** An invoice that is new here: opened with a link, so that it can be paid, and then merged like any other. */
export function importInvoice(
  said: LedgerInvoice,
  made: Pick<InvoiceRow, 'workspace' | 'livemode' | 'id' | 'customer' | 'links'>,
  now: string,
): InvoiceRow {
  const { external_id, number, currency, total, invoice_date, due_date } = said
  const amounts = { amount_paid: 0, amount_pending: 0, written_off: 0, early_payment_discount: null }
  const record = { external_id, number, currency, total, invoice_date, due_date, ...amounts, ...made }
  const draft: InvoiceRow = { ...record, status: 'draft', listed: false, created_at: now, changed_at: now }
  const opened = decideInvoice(draft, 'send', now)
  if (opened.isErr()) throw new Error('A draft can always be sent.')
  return mergeInvoice(opened.value, said, { ledger_paid: 0, now })
}

/** What a ledger calls paid and was not paid in money (a credit note, a discount) is written off. */
function writtenOff({ written_off }: InvoiceRow, said: LedgerInvoice, own_money: boolean): number {
  if (own_money || said.status !== 'paid') return written_off
  return Math.max(written_off, said.total - said.amount_paid)
}

/** The ledger's, unless a payment has taken ours: what is written off with it stays known. */
function discountOf({ early_payment_discount: ours }: InvoiceRow, said: LedgerInvoice) {
  const theirs = said.early_payment_discount
  const taken = ours !== null && ours.taken_by !== null
  if (theirs === undefined || taken) return ours
  if (theirs === null) return null
  const same = theirs.amount === ours?.amount && theirs.until === ours.until
  return same ? ours : { ...theirs, taken_by: null }
}

/** `changed_at` says when something changed. */
function keptIfEqual(before: InvoiceRow, after: InvoiceRow, now: string): InvoiceRow {
  const fields = Object.keys(after) as (keyof InvoiceRow)[]
  const same = fields.every((field) => field === 'changed_at' || after[field] === before[field])
  return same ? before : { ...after, changed_at: now }
}
