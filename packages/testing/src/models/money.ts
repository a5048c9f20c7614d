import type { Model, ModelInvoice, ModelPage, ModelPayment, ModelRefund } from './model.ts'
import {
  type Coming,
  foreseenCharge,
  isUnanswered,
  outcomeOfUnanswered,
  type PaymentStatus,
  type RefundStatus,
} from './tokens.ts'

type Made = Pick<ModelPayment, 'id' | 'token' | 'bank' | 'amount'> & {
  page?: ModelPage
  invoice?: ModelInvoice
  hidden?: boolean
}

/** A charge that was made now, with what follows from it. */
export function addPayment(model: Model, made: Made, now_ms: number): ModelPayment {
  const { status, coming } = foreseenCharge(made.token, now_ms)
  const payment: ModelPayment = {
    ...{ page: null, invoice: null, hidden: false, ...made },
    ...{ made_ms: now_ms, coming, told: false, status, announced: [] },
  }
  model.payments.push(payment)
  if (payment.page) payment.page.paying = payment
  movePayment(model, payment, status)
  return payment
}

/** A card that comes back before the engine knew that it was charged has been charged all the same. */
export function movePayment(model: Model, payment: ModelPayment, status: PaymentStatus): void {
  const missed = status === 'returned' && payment.status === 'processing' && !payment.bank
  if (missed) movePayment(model, payment, 'succeeded')
  const was = payment.status
  payment.status = status
  if (!payment.hidden) payment.announced.push(`payment.${status}`)
  if (payment.page) followOnPage(payment.page, payment)
  const returned = was === 'succeeded' && status === 'returned'
  if (payment.invoice) followOnInvoice(model, payment.invoice, { returned })
}

export function moveRefund(model: Model, refund: ModelRefund, status: RefundStatus): void {
  refund.status = status
  refund.announced.push(`refund.${status}`)
  if (refund.payment.invoice) followOnInvoice(model, refund.payment.invoice)
}

/** A card completes its page when it succeeded, a debit when it is accepted; a charge that ends otherwise frees it. */
function followOnPage(page: ModelPage, payment: ModelPayment): void {
  if (page.paying !== payment) return
  const { status, bank } = payment
  if (status === 'processing' && !bank) return
  page.paying = null
  if (status !== 'succeeded' && status !== 'processing') return
  Object.assign(page, { status: 'complete', payment })
  page.announced.push('checkout_session.completed')
}

export function expirePage(page: ModelPage): void {
  page.status = 'expired'
  page.announced.push('checkout_session.expired')
}

/** Whether a page that nobody has paid or is paying has run out of time. */
export function isPageOver({ status, paying, expires_ms }: ModelPage, now_ms: number): boolean {
  return status === 'open' && paying === null && now_ms >= expires_ms
}

/** Covered, it is paid; money that comes back reopens it, money that is given back does not. */
export function followOnInvoice(model: Model, invoice: ModelInvoice, { returned = false } = {}): void {
  const { paid, pending } = sumsOf(model, invoice)
  const covered = paid + invoice.written_off >= invoice.total && pending === 0
  if (invoice.status === 'open' && covered) invoice.status = 'paid'
  if (invoice.status === 'paid' && !covered && returned) invoice.status = 'open'
}

export function sumsOf(model: Model, invoice: ModelInvoice): { paid: number; pending: number; due: number } {
  const payments = model.payments.filter((payment) => payment.invoice === invoice)
  const paid = payments
    .filter(({ status }) => status === 'succeeded')
    .reduce((sum, payment) => sum + payment.amount - givenBack(model, payment).succeeded, 0)
  const pending = payments
    .filter(({ status }) => status === 'processing')
    .reduce((sum, { amount }) => sum + amount, 0)
  const due = invoice.status === 'open' ? invoice.total - paid - pending - invoice.written_off : 0
  return { paid, pending, due }
}

export function givenBack(model: Model, payment: ModelPayment): { succeeded: number; pending: number } {
  const sums = { succeeded: 0, pending: 0, failed: 0 }
  for (const refund of model.refunds) if (refund.payment === payment) sums[refund.status] += refund.amount
  return sums
}

/** What the processor says of a payment now, whether or not the engine has asked. */
export function heldStatus({ token, status, coming }: ModelPayment, now_ms: number): PaymentStatus {
  if (isUnanswered(token)) return status === 'processing' ? outcomeOfUnanswered(token) : status
  return coming.findLast(({ at_ms }) => at_ms <= now_ms)?.status ?? status
}

/**
 * Lets happen what was due by `by_ms`, in the order in which the engine hears of it. At each moment at which it reconciles
 * (from `since_ms` on) the processor tells what has happened, in that order, and then answers what it is asked. With
 * `reached`, less of it: as much as leads to the status that it says of an id.
 */
export function letCome(
  model: Model,
  by_ms: number,
  { since_ms = by_ms, reached }: { since_ms?: number; reached?: (id: string) => unknown } = {},
): void {
  const news = [
    ...model.refunds.flatMap((refund) =>
      newsOf(refund, { by_ms, until: reached?.(refund.id), asked: false }, (status) =>
        moveRefund(model, refund, status),
      ),
    ),
    ...model.payments.flatMap((payment) => {
      const asked = isUnanswered(payment.token) && !payment.told
      return newsOf(payment, { by_ms, until: reached?.(payment.id), asked }, (status) =>
        movePayment(model, payment, status),
      )
    }),
  ]
  const heard_ms = ({ at_ms }: { at_ms: number }) => Math.max(at_ms, since_ms)
  news.sort((a, b) => heard_ms(a) - heard_ms(b) || Number(a.asked) - Number(b.asked) || a.at_ms - b.at_ms)
  for (const { take } of news) take()
}

/** What has come to a payment or a refund without the engine having heard of it, until it is in the status `until`. */
function newsOf<Status>(
  one: { status: Status; coming: Coming<Status>[] },
  { by_ms, until, asked }: { by_ms: number; until: unknown; asked: boolean },
  move: (status: Status) => void,
): { at_ms: number; asked: boolean; take: () => void }[] {
  if (one.status === until) return []
  const due = one.coming.filter(({ at_ms }) => at_ms <= by_ms)
  const last = due.findIndex(({ status }) => status === until)
  return due.slice(0, last < 0 ? due.length : last + 1).map(({ at_ms, status }) => ({
    at_ms,
    asked,
    take() {
      one.coming.shift()
      move(status)
    },
  }))
}

/** The engine has done all that is due, at each moment from `since_ms` on: whatever was to come by now has come. */
export function reconciled(model: Model, now_ms: number, since_ms = now_ms): void {
  model.reconciled_ms = now_ms
  letCome(model, now_ms, { since_ms })
  for (const page of model.pages) if (isPageOver(page, now_ms)) expirePage(page)
}
