import type { Unit } from '../kernel/operation.ts'
import { mergeInvoice } from '../ledger-invoices/merge-invoice.ts'
import type { PaymentRow } from '../payments/payment.ts'
import type { LedgerInvoice } from '../ports/connector.ts'
import type { InvoiceRow } from './invoice.ts'
import { decideMoney, type InvoiceMoney, withdrawDiscount } from './invoice-machine.ts'

/**
 * Lets an invoice follow one of its payments (`before` null: a new one), under the invoice's lock and in the unit of work
 * in which the payment moved or was refunded. The invoice's paid and pending amounts change as the payment's share does.
 */
export async function moveInvoiceMoney(
  unit: Unit,
  before: PaymentRow | null,
  after: PaymentRow,
): Promise<void> {
  const { tx, now } = unit
  const had = before === null ? nothing : shareOf(before)
  const has = shareOf(after)
  const money = { paid: has.paid - had.paid, pending: has.pending - had.pending }
  const returned = before?.status === 'succeeded' && after.status === 'returned'
  if (after.invoice === null || (money.paid === 0 && money.pending === 0 && !returned)) return
  const found = await tx.invoices.lock(after.invoice)
  if (!found) throw new Error('A payment names an invoice that is not there.')
  const undone = after.status === 'failed' || after.status === 'canceled' || after.status === 'returned'
  const invoice = undone ? withdrawDiscount(found, after.id) : found
  const paid_here = invoice.paid_here || money.paid !== 0
  const moved = { ...decideMoney(invoice, money, { reopens: returned, now }), paid_here }
  await tx.invoices.update(await asItsLedgerSaid(unit, moved))
}

/** Applies what the invoice's ledger said while money was pending, once none is. */
async function asItsLedgerSaid({ tx, now }: Unit, invoice: InvoiceRow): Promise<InvoiceRow> {
  if (invoice.amount_pending > 0 || invoice.external_id === null) return invoice
  const kept = await tx.ledger_invoices.get(invoice.id)
  if (kept?.said == null) return invoice
  const said = JSON.parse(kept.said) as LedgerInvoice
  const merged = mergeInvoice({ invoice, written_off: kept.written_off }, said, now)
  await tx.ledger_invoices.update({ ...kept, written_off: merged.written_off, said: null, changed_at: now })
  return merged.invoice
}

const nothing: InvoiceMoney = { paid: 0, pending: 0 }

/** What a payment counts for on its invoice: pending until its outcome is known, then paid, less what was refunded. */
function shareOf({ status, amount, refunds_succeeded }: PaymentRow): InvoiceMoney {
  if (status === null || status === 'processing') return { paid: 0, pending: amount }
  return status === 'succeeded' ? { paid: amount - refunds_succeeded, pending: 0 } : nothing
}
