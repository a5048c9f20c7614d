import type { InvoiceRow } from '../../invoices/invoice.ts'
import { isMoney, ofItsCustomer, totalOf } from './any-row.ts'
import { type Around, check } from './check.ts'
import type { Report } from './violation.ts'

export const invoices = check(
  'invoices',
  ['paymentsOn'],
  checkTerms,
  checkMoney,
  checkDiscount,
  ofItsCustomer,
)

/** M20, M23: every term is whole cents, and nothing is pending on what is settled. */
function checkTerms(invoice: InvoiceRow, _: Around, report: Report): void {
  const { status, total, amount_paid, amount_pending, written_off, listed } = invoice
  for (const [term, value] of Object.entries({ total, amount_paid, amount_pending, written_off })) {
    if (!isMoney(value)) report('M20', `${term} is ${value}`)
  }
  if (status !== 'open' && amount_pending !== 0) report('M23', `is ${status} with ${amount_pending} pending`)
  const unsettled = status === 'open' || (status === 'canceled' && amount_paid > 0)
  if (unsettled && amount_paid + written_off >= total && amount_pending === 0) {
    report('M23', `is covered by ${amount_paid} paid and ${written_off} written off, and ${status}`)
  }
  if (status === 'draft' && amount_paid + written_off > 0)
    report('M23', `is a draft with ${amount_paid} paid and ${written_off} written off`)
  if (listed !== (status !== 'draft')) report('M23', `is ${status} and listed is ${listed}`)
}

/**
 * M21, M22, M25: `amount_paid` is what succeeded less refunds, `amount_pending` what is in flight. If a ledger keeps the
 * invoice, more may have been paid elsewhere, and the total may change.
 */
async function checkMoney(invoice: InvoiceRow, { rows, paymentsOn }: Around, report: Report): Promise<void> {
  const { id, status, currency, customer, total, amount_paid, amount_pending, written_off } = invoice
  const payments = await paymentsOn(id)
  const pending = totalOf(payments.filter(({ status }) => status === null || status === 'processing'))
  if (amount_pending !== pending) report('M22', `says ${amount_pending} pending; its payments say ${pending}`)
  const paid = payments
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, { amount, refunds_succeeded }) => sum + amount - refunds_succeeded, 0)
  for (const one of payments) {
    if (one.currency !== currency) report('M21', `is in ${currency}; ${one.id} paid it in ${one.currency}`)
    if (one.customer !== customer)
      report('M21', `is of the customer ${customer}; ${one.id}, which pays it, of ${one.customer}`)
  }
  const covered = amount_paid + amount_pending + written_off
  // What was refunded of an invoice that was paid is not owed again.
  const taken = totalOf(payments.filter(({ status }) => status === 'succeeded')) + written_off
  const is_owed = status === 'paid' && taken < total
  if (amount_paid === paid && covered <= total && !is_owed) return
  if (amount_paid >= paid && (await rows.ledger_invoices.get(id))) return
  if (amount_paid !== paid) report('M21', `says ${amount_paid} paid; its payments say ${paid}`)
  if (is_owed) report('M23', `is paid, with ${taken} of ${total}`)
  if (covered > total) report('M25', `of ${total} is covered by ${covered}`)
}

/** M20, M48: an early-payment discount that is taken belongs to a payment that stands. */
async function checkDiscount({ id, early_payment_discount }: InvoiceRow, { rows }: Around, report: Report) {
  const discount = early_payment_discount?.amount ?? 1
  if (!isMoney(discount) || discount < 1) report('M48', `its discount is ${discount}`)
  const taken_by = early_payment_discount?.taken_by ?? null
  if (taken_by === null) return
  const payment = await rows.payments.get(taken_by)
  if (payment?.invoice !== id) report('M20', `its discount was taken by ${taken_by}, which did not pay it`)
  else if (payment.failed_at !== null || payment.canceled_at !== null || payment.returned_at !== null) {
    report('M20', `its discount is taken by ${taken_by}, which is ${payment.status}`)
  }
}
