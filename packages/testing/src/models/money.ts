import { isBankToken } from '../builders/requests.ts'
import type { Model, ModelInvoice, ModelPage, ModelPayment, ModelRefund } from './model.ts'
import {
  foreseenCharge,
  isUnanswered,
  outcomeOfUnanswered,
  type PaymentStatus,
  type RefundStatus,
} from './tokens.ts'

type Made = Pick<ModelPayment, 'id' | 'token' | 'amount'> & {
  page?: ModelPage
  invoice?: ModelInvoice
  hidden?: boolean
}

/** Adds a charge made now, with what follows from it. */
export function addPayment(model: Model, made: Made, now_ms: number): ModelPayment {
  const { status, coming } = foreseenCharge(made.token, now_ms)
  const payment: ModelPayment = {
    page: null,
    invoice: null,
    hidden: false,
    ...made,
    bank: isBankToken(made.token),
    made_ms: now_ms,
    status,
    coming,
    told: false,
    announced: [],
  }
  model.payments.push(payment)
  if (payment.page) payment.page.paying = payment
  movePayment(model, payment, status)
  return payment
}

/** A card charge that is returned before the engine knew of its success has succeeded all the same. */
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

/** Whether an open page, with no payment in flight, has expired. */
export function isPageOver({ status, paying, expires_ms }: ModelPage, now_ms: number): boolean {
  return status === 'open' && paying === null && now_ms >= expires_ms
}

/** An invoice that is covered is paid; a returned payment reopens it, a refund does not. */
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

/** Lets happen what was due by `by_ms`, or less of it: as much as leads to the status. */
export function letPaymentCome(model: Model, payment: ModelPayment, by_ms: number, until?: unknown): void {
  for (let next = payment.coming[0]; next && next.at_ms <= by_ms; next = payment.coming[0]) {
    if (payment.status === until) return
    payment.coming.shift()
    movePayment(model, payment, next.status)
  }
}

export function letRefundCome(model: Model, refund: ModelRefund, by_ms: number, until?: unknown): void {
  const next = refund.coming[0]
  if (!next || next.at_ms > by_ms || refund.status === until) return
  refund.coming = []
  moveRefund(model, refund, next.status)
}

/**
 * Called when the engine has done all that is due: applies what was due by now. First what the processor reports, in the order
 * in which it happened, with `step` last, because that happens now; then the outcomes that the engine has to look up.
 */
export function reconciled(model: Model, now_ms: number, step = () => {}): void {
  model.reconciled_ms = now_ms
  for (const at_ms of momentsOf(model, now_ms)) {
    // Of two that are due at the same time, the refund is the older one.
    for (const refund of model.refunds) letRefundCome(model, refund, at_ms)
    for (const payment of model.payments)
      if (!isUnanswered(payment.token)) letPaymentCome(model, payment, at_ms)
  }
  step()
  for (const payment of model.payments) letPaymentCome(model, payment, now_ms)
  for (const page of model.pages) if (isPageOver(page, now_ms)) expirePage(page)
}

/** Called when the clock was moved: on the way the engine has reconciled at each moment at which something was due. */
export function advanced(model: Model, from_ms: number, to_ms: number): void {
  const on_the_way = momentsOf(model, to_ms).filter((at_ms) => at_ms > from_ms)
  for (const at_ms of [from_ms, ...on_the_way, to_ms]) reconciled(model, at_ms)
}

/** When something is due to happen to a payment or a refund, up to `by_ms`. */
function momentsOf({ payments, refunds }: Model, by_ms: number): number[] {
  const moments = [...payments, ...refunds].flatMap(({ coming }) => coming.map(({ at_ms }) => at_ms))
  return [...new Set(moments)].filter((at_ms) => at_ms <= by_ms).sort((a, b) => a - b)
}
