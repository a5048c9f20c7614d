import type { InvoiceRow } from '../invoices/invoice.ts'
import { decideInvoice, decideMoney } from '../invoices/invoice-machine.ts'
import type { LedgerInvoice } from '../ports/connector.ts'

/** An invoice, and the part of its `written_off` that stems from its ledger calling it paid. */
export interface Merged {
  invoice: InvoiceRow
  written_off: number
}

/**
 * An invoice merged with what its ledger says. Number, dates and total are the ledger's. So is `amount_paid`, until money moves
 * here; from then on ours stays. If the ledger calls the invoice paid, what is left of it is written off, for as long as the
 * ledger says so. Once the ledger no longer calls a paid invoice paid, it is reopened if it owes money. If the ledger cancels
 * it, it is canceled if it owes money or no money paid it. A refund made here is never the reason for either.
 */
export function mergeInvoice(
  { invoice, written_off: before }: Merged,
  said: LedgerInvoice,
  now: string,
): Merged {
  const { number, due_date, invoice_date, total } = said
  const early_payment_discount = discountOf(invoice, said)
  const named: InvoiceRow = { ...invoice, number, due_date, invoice_date, early_payment_discount }
  // Canceled is final, and the ledger must not send what was drafted here.
  if (invoice.status === 'canceled' || invoice.status === 'draft')
    return { invoice: keptIfEqual(invoice, named, now), written_off: before }
  const own_money = invoice.paid_here || invoice.amount_pending > 0
  const paid = own_money ? 0 : said.amount_paid - invoice.amount_paid
  const written_off = writtenOff({ invoice, written_off: before }, said)
  const totalled: InvoiceRow = { ...named, total, written_off: invoice.written_off - before + written_off }
  // A refund made here leaves a paid invoice paid, whatever it owes by then: only what changed at the ledger reopens it.
  const reopens = said.status !== 'paid' && (!own_money || total > invoice.total || written_off < before)
  const moved = decideMoney(totalled, { paid, pending: 0 }, { reopens, now })
  const cancels = said.status === 'canceled' && (invoice.status === 'open' || reopens)
  return { invoice: keptIfEqual(invoice, cancels ? canceled(moved, now) : moved, now), written_off }
}

/** An invoice that is new here: opened with a link, so that it can be paid, then merged like any other. */
export function importInvoice(
  said: LedgerInvoice,
  made: Pick<InvoiceRow, 'workspace' | 'livemode' | 'id' | 'customer' | 'links'>,
  now: string,
): Merged {
  const { external_id, number, currency, total, invoice_date, due_date } = said
  const amounts = { amount_paid: 0, amount_pending: 0, written_off: 0, early_payment_discount: null }
  const record = { external_id, number, currency, total, invoice_date, due_date, ...amounts, ...made }
  const since = { paid_here: false, created_at: now, changed_at: now }
  const draft: InvoiceRow = { ...record, ...since, status: 'draft', listed: false }
  const opened = decideInvoice(draft, 'send', now)
  if (opened.isErr()) throw new Error('A draft can always be sent.')
  return mergeInvoice({ invoice: opened.value, written_off: 0 }, said, now)
}

/**
 * Some ledgers void by setting the total to 0. Nothing is owed then, and the invoice looks paid: it is reopened first, unless
 * money paid it.
 */
function canceled(moved: InvoiceRow, now: string): InvoiceRow {
  if (moved.amount_pending > 0 || (moved.status === 'paid' && moved.amount_paid > 0)) return moved
  const open = decideInvoice(moved, 'reopen', now).unwrapOr(moved)
  return decideInvoice(open, 'cancel', now).unwrapOr(moved)
}

/** What a ledger calls paid without any payment that we know of: a credit note, a discount, a cheque. */
function writtenOff({ invoice, written_off: before }: Merged, said: LedgerInvoice): number {
  if (said.status === 'open') return 0
  // A payment in flight may still pay it.
  if (invoice.amount_pending > 0) return before
  if (said.status === 'canceled') return 0
  // A refund made here leaves it paid, with nothing to write off.
  if (invoice.paid_here && invoice.status === 'paid') return before
  const paid = invoice.paid_here ? invoice.amount_paid : said.amount_paid
  return Math.max(0, said.total - paid - (invoice.written_off - before))
}

/** The ledger's discount, unless a payment has taken ours: ours says what was written off for that payment. */
function discountOf({ early_payment_discount: ours }: InvoiceRow, said: LedgerInvoice) {
  const theirs = said.early_payment_discount
  const taken = ours !== null && ours.taken_by !== null
  if (theirs === undefined || taken) return ours
  if (theirs === null) return null
  const same = theirs.amount === ours?.amount && theirs.until === ours.until
  return same ? ours : { ...theirs, taken_by: null }
}

/** Sets `changed_at` only if something changed. */
function keptIfEqual(before: InvoiceRow, after: InvoiceRow, now: string): InvoiceRow {
  const fields = Object.keys(after) as (keyof InvoiceRow)[]
  const same = fields.every((field) => field === 'changed_at' || after[field] === before[field])
  return same ? before : { ...after, changed_at: now }
}
