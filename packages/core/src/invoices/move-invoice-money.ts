import type { Unit } from '../kernel/operation.ts'
import type { PaymentRow } from '../payments/payment.ts'
import { decideMoney, type InvoiceMoney, withdrawDiscount } from './invoice-machine.ts'

/**
 * Lets an invoice follow one of its payments (`before` null: a new one), under the invoice's lock and in the unit of work
 * in which the payment moved or was refunded. The invoice's paid and pending amounts change as the payment's share does.
 */
export async function moveInvoiceMoney(
  { tx, now }: Unit,
  before: PaymentRow | null,
  after: PaymentRow,
): Promise<void> {
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
  await tx.invoices.update({ ...decideMoney(invoice, money, { returned, now }), paid_here })
}

const nothing: InvoiceMoney = { paid: 0, pending: 0 }

/** What of a payment counts on its invoice: pending until its outcome is known, then paid, less what was given back. */
function shareOf({ status, amount, refunds_succeeded }: PaymentRow): InvoiceMoney {
  if (status === null || status === 'processing') return { paid: 0, pending: amount }
  return status === 'succeeded' ? { paid: amount - refunds_succeeded, pending: 0 } : nothing
}
