import { type Moment, type Report, total } from './moment.ts'
import type { Rows } from './rows.ts'

type Invoice = Rows['invoices'][number]
type Shown = NonNullable<Moment['shown_invoices']>[number]

/** M20 to M25: an invoice's amounts are those of its payments and refunds, and what is shown follows from them. */
export function checkInvoices({ rows, now, shown_invoices = [] }: Moment, report: Report): void {
  const byInvoice = Map.groupBy(rows.payments, ({ invoice }) => invoice)
  for (const invoice of rows.invoices) {
    const payments = byInvoice.get(invoice.id) ?? []
    checkMoney(invoice, payments, rows.refunds, report)
    checkDiscount(invoice, payments, report)
    checkTerms(invoice, report)
  }
  const byId = new Map(rows.invoices.map((invoice) => [invoice.id, invoice]))
  for (const shown of shown_invoices) {
    const invoice = byId.get(shown.id)
    if (invoice === undefined) report('M47', `${shown.id} is shown and is not there`)
    else checkShown(shown, { invoice, now }, report)
  }
}

/** M21, M22: paid is what succeeded, net of what came back; pending is what is in flight. */
export function checkMoney(
  { id, amount_paid, amount_pending }: Invoice,
  payments: Rows['payments'],
  refunds: Rows['refunds'],
  report: Report,
): void {
  const succeeded = payments.filter(({ status }) => status === 'succeeded')
  const ids = new Set(succeeded.map((payment) => payment.id))
  const given_back = refunds.filter(({ payment, status }) => status === 'succeeded' && ids.has(payment))
  const paid = total(succeeded) - total(given_back)
  if (amount_paid !== paid) report('M21', `${id} says ${amount_paid} paid; its payments say ${paid}`)
  const pending = total(payments.filter(({ status }) => status === null || status === 'processing'))
  if (amount_pending !== pending)
    report('M22', `${id} says ${amount_pending} pending; its payments say ${pending}`)
}

/** M20: an early-payment discount is written off exactly as long as the payment that took it stands. */
function checkDiscount(invoice: Invoice, payments: Rows['payments'], report: Report): void {
  const { id, early_payment_discount: discount, written_off } = invoice
  if (discount === null || discount.taken_by === null) return
  const payment = payments.find((one) => one.id === discount.taken_by)
  const stands = payment && [null, 'processing', 'succeeded'].includes(payment.status)
  if (!stands) report('M20', `${id} gave its discount to a payment that does not stand`)
  if (written_off < discount.amount) report('M20', `${id} gave a discount and has not written it off`)
}

/** M20, M23, M25: the sums fit into the total, and nothing is pending on a settled invoice. */
export function checkTerms(invoice: Invoice, report: Report): void {
  const { id, status, total, amount_paid, amount_pending, written_off } = invoice
  for (const sum of [amount_paid, amount_pending, written_off]) {
    if (!Number.isSafeInteger(sum) || sum < 0) report('M20', `${id} has a sum of ${sum}`)
  }
  const covered = amount_paid + amount_pending + written_off
  if (covered > total) report('M25', `${id} of ${total} took ${covered}`)
  if (status !== 'open' && amount_pending !== 0) report('M23', `${id} is ${status} with money pending`)
  if (status === 'open' && amount_paid + written_off >= total && amount_pending === 0)
    report('M23', `${id} is covered and open`)
  if ((status === 'draft') === invoice.listed) report('M23', `${id} is ${status} and listed disagrees`)
}

/** M20, M23, M24: what the API shows now. */
function checkShown(shown: Shown, { invoice, now }: { invoice: Invoice; now: string }, report: Report): void {
  const { id, status, amount_due, amount_paid, amount_pending, payment_url, past_due } = shown
  const terms = amount_paid + amount_pending + amount_due + invoice.written_off
  if (status === 'open' && terms !== shown.total) report('M20', `${id} of ${shown.total} adds up to ${terms}`)
  if (status !== 'open' && amount_due !== 0) report('M23', `${id} is ${status} and ${amount_due} is due`)
  const usable = invoice.links.some(
    ({ revoked_at, expires_at }) => revoked_at === null && (expires_at === null || now < expires_at),
  )
  const payable = status === 'open' && amount_due > 0 && usable
  if (payable !== (payment_url !== null)) report('M24', `${id}: payment_url is ${payment_url}`)
  const late = status === 'open' && now.slice(0, 10) > shown.due_date
  if (late !== past_due) report('M24', `${id}: past_due is ${past_due}`)
}
