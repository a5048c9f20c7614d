import { fail } from '../errors/domain-error.ts'
import { ok } from '../kernel/result.ts'
import { type Transition, transitionFor } from '../kernel/transitions.ts'
import type { InvoiceRow } from './invoice.ts'

export type InvoiceTrigger = 'schedule' | 'send' | 'covered' | 'reopen' | 'cancel'

/**
 * The specification shows no table (States and transitions: Invoice). An invoice is `covered` once paid plus written off reach
 * the total and nothing is pending. A return reopens it, a refund does not.
 */
export const invoiceTransitions = [
  { from: 'draft', on: 'schedule', to: 'open' },
  { from: 'draft', on: 'send', to: 'open' },
  { from: 'open', on: 'send', to: 'open' },
  { from: 'open', on: 'covered', to: 'paid' },
  { from: 'paid', on: 'reopen', to: 'open' },
  { from: 'open', on: 'cancel', to: 'canceled' },
] as const satisfies readonly Transition<InvoiceRow['status'], InvoiceTrigger>[]

export function decideInvoice(invoice: InvoiceRow, trigger: InvoiceTrigger, now: string) {
  const transition = transitionFor(invoiceTransitions, invoice.status, trigger)
  if (!transition) return fail('conflict')
  return ok<InvoiceRow>({ ...invoice, status: transition.to, listed: true, changed_at: now })
}

/** Money that moved on an invoice: how much the paid and the pending amount change. */
export interface InvoiceMoney {
  paid: number
  pending: number
}

/**
 * The invoice after money moved on it. Its status follows from the amounts, except that a paid one which owes again stays paid
 * unless this `reopens` it.
 */
export function decideMoney(
  invoice: InvoiceRow,
  money: InvoiceMoney,
  { reopens, now }: { reopens: boolean; now: string },
) {
  const moved: InvoiceRow = {
    ...invoice,
    amount_paid: Math.max(0, invoice.amount_paid + money.paid),
    amount_pending: invoice.amount_pending + money.pending,
    changed_at: now,
  }
  const covered = moved.amount_paid + moved.written_off >= moved.total && moved.amount_pending === 0
  if (covered) return decideInvoice(moved, 'covered', now).unwrapOr(moved)
  return reopens ? decideInvoice(moved, 'reopen', now).unwrapOr(moved) : moved
}

/** What a payer can still pay today: nothing once the invoice is settled. */
export function amountDue({ status, total, amount_paid, amount_pending, written_off }: InvoiceRow): number {
  return status === 'open' ? Math.max(0, total - amount_paid - amount_pending - written_off) : 0
}

/** What the payment page deducts for a payer who pays all the rest today (specification: Invoice, `amount_due`). */
export function discountToday(invoice: InvoiceRow, now: string): number {
  const discount = invoice.early_payment_discount
  if (discount === null || discount.taken_by !== null || now.slice(0, 10) > discount.until) return 0
  return discount.amount < amountDue(invoice) ? discount.amount : 0
}

/** Grants the discount to a payment of all the rest: it is written off for as long as that payment stands. */
export function grantDiscount(invoice: InvoiceRow, payment: string): InvoiceRow {
  const discount = invoice.early_payment_discount
  if (discount === null || discount.taken_by !== null) throw new Error('There is no discount to grant.')
  const written_off = invoice.written_off + discount.amount
  return { ...invoice, written_off, early_payment_discount: { ...discount, taken_by: payment } }
}

/** Withdraws the discount if it was granted to this payment, which failed or was returned: the amount is owed again. */
export function withdrawDiscount(invoice: InvoiceRow, payment: string): InvoiceRow {
  const discount = invoice.early_payment_discount
  if (discount?.taken_by !== payment) return invoice
  const written_off = Math.max(0, invoice.written_off - discount.amount)
  return { ...invoice, written_off, early_payment_discount: { ...discount, taken_by: null } }
}

/** True from the day after `due_date`, in UTC, while open. */
export function isPastDue({ status, due_date }: InvoiceRow, now: string): boolean {
  return status === 'open' && now.slice(0, 10) > due_date
}
