import type { Rows } from '../invariants/rows.ts'
import { mayPause, silence } from './listening.ts'
import {
  isOver,
  isUsable,
  type Model,
  type ModelMethod,
  type ModelPayment,
  type ModelSession,
} from './model.ts'
import { expirePage, givenBack, isPageOver, letPaymentCome, letRefundCome, sumsOf } from './money.ts'
import { isUnanswered } from './tokens.ts'

interface Comparison {
  model: Model
  rows: Rows
  now_ms: number
  compare(what: string, is: unknown, expected: unknown): void
}

/**
 * Fails if a record's status, sums or announced events differ from the model's. What was due when the engine last reconciled
 * must have happened; what fell due since may have.
 */
export function expectModel(
  model: Model,
  about: string,
  { rows, now_ms }: Pick<Comparison, 'rows' | 'now_ms'>,
): void {
  const differences: string[] = []
  const compare: Comparison['compare'] = (what, is, expected) => {
    if (is !== expected) differences.push(`${what} is ${is}; the model says ${expected}`)
  }
  const comparison = { model, rows, now_ms, compare }
  compareCollected(comparison)
  compareMoney(comparison)
  compareSales(comparison)
  compareEvents(comparison)
  compareListening(comparison)
  if (differences.length > 0) throw new Error([`${about}:`, ...differences].join('\n  '))
}

function compareCollected({ model, rows, now_ms, compare }: Comparison): void {
  for (const [session, { status }] of pairs(model.sessions, rows.payment_method_sessions)) {
    const by_ms = status === 'expired' ? now_ms : model.reconciled_ms
    compare(session.id, status, statusOfSession(session, by_ms))
  }
  const payments = new Map(model.payments.map((payment) => [payment.id, payment]))
  for (const [method, { status, charging_payment }] of pairs(model.methods, rows.payment_methods)) {
    const by_ms = status === 'expired' ? now_ms : model.reconciled_ms
    compare(method.id, status, statusOfMethod(method, payments.get(charging_payment ?? ''), by_ms))
  }
}

function statusOfSession(session: ModelSession, by_ms: number): string {
  if (session.token !== null) return 'succeeded'
  if (session.canceled) return 'canceled'
  return isOver(session, by_ms) ? 'expired' : 'requires_payment_method'
}

/** A spent method is `consumed` once it is known that the charge reached the processor. */
function statusOfMethod(method: ModelMethod, payment: ModelPayment | undefined, by_ms: number): string {
  const unknown = payment?.status === 'processing' && isUnanswered(payment.token)
  if (method.status === 'consumed' && unknown) return 'active'
  return method.status === 'active' && !isUsable(method, by_ms) ? 'expired' : method.status
}

function compareMoney({ model, rows, now_ms, compare }: Comparison): void {
  for (const [payment, { status }] of pairs(model.payments, rows.payments)) {
    letPaymentCome(model, payment, now_ms, status)
    compare(payment.id, status, payment.status)
  }
  for (const [refund, { status, amount }] of pairs(model.refunds, rows.refunds)) {
    letRefundCome(model, refund, now_ms, status)
    compare(refund.id, status, refund.status)
    compare(`the amount of ${refund.id}`, amount, refund.amount)
  }
  for (const [payment, { amount_refunded }] of pairs(model.payments, rows.payments)) {
    const { succeeded, pending } = givenBack(model, payment)
    compare(`amount_refunded of ${payment.id}`, amount_refunded, succeeded + pending)
  }
}

function compareSales({ model, rows, now_ms, compare }: Comparison): void {
  for (const [page, { status, payment }] of pairs(model.pages, rows.checkout_sessions)) {
    if (status === 'expired' && isPageOver(page, now_ms)) expirePage(page)
    compare(page.id, status, page.status)
    compare(`the payment of ${page.id}`, payment, page.payment?.id ?? null)
  }
  for (const [invoice, row] of pairs(model.invoices, rows.invoices)) {
    const { paid, pending } = sumsOf(model, invoice)
    compare(invoice.id, row.status, invoice.status)
    compare(`amount_paid of ${invoice.id}`, row.amount_paid, paid)
    compare(`amount_pending of ${invoice.id}`, row.amount_pending, pending)
    compare(`written_off of ${invoice.id}`, row.written_off, invoice.written_off)
  }
}

function compareEvents({ model, rows, compare }: Comparison): void {
  const filed = Map.groupBy(rows.events, ({ subject }) => subject)
  for (const { id, announced } of [...model.payments, ...model.refunds, ...model.pages]) {
    const types = (filed.get(id) ?? []).map(({ type }) => type)
    compare(`what ${id} announced`, types.join(', '), announced.join(', '))
  }
}

/** Adds new deliveries to the model, and compares what becomes of all deliveries and of their endpoints. */
function compareListening({ model, rows, now_ms, compare }: Comparison): void {
  const endpoints = new Set(model.endpoints.map(({ id }) => id))
  const known = new Set(model.deliveries.map(({ id }) => id))
  for (const { id, endpoint, created_at } of rows.deliveries) {
    if (known.has(id) || !endpoints.has(endpoint)) continue
    const created_ms = Date.parse(created_at)
    model.deliveries.push({ id, endpoint, created_ms, status: 'pending', attempts: 0, next_ms: created_ms })
  }
  for (const [endpoint, { status }] of pairs(model.endpoints, rows.webhook_endpoints)) {
    if (status === 'disabled' && mayPause(model, endpoint, now_ms)) silence(model, endpoint)
    compare(endpoint.id, status, endpoint.status)
  }
  for (const [delivery, { status, attempt_count }] of pairs(model.deliveries, rows.deliveries)) {
    compare(delivery.id, status, delivery.status)
    compare(`attempt_count of ${delivery.id}`, attempt_count, delivery.attempts)
  }
}

function pairs<Known extends { id: string }, Row extends { id: string }>(
  known: readonly Known[],
  rows: readonly Row[],
): [known: Known, row: Row][] {
  const byId = new Map(rows.map((row) => [row.id, row]))
  return known.map((one) => {
    const row = byId.get(one.id)
    if (row === undefined) throw new Error(`${one.id} is gone`)
    return [one, row]
  })
}
