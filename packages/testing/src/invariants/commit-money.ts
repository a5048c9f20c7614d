import type { Tables } from '@quittance/core'
import { checkPageStep, checkPaid, checkPaying } from './checkout-sessions.ts'
import { type Commit, filedAbout, type Moved, rowAt, rowsWhere } from './commit.ts'
import { checkMoney, checkTerms } from './invoices.ts'
import type { Report } from './moment.ts'
import { payment_moves } from './moves.ts'
import { checkBalance, checkRefund, checkRefundStep } from './refunds.ts'

const half_hour_ms = 30 * 60_000

/** M4 to M8, M10, M11, M13, M14, M17, M30, M31: a payment is an intent first, and changes with all that depends on it. */
export function checkPaymentMove(commit: Commit, { id, was, is }: Moved<'payments'>, report: Report): void {
  if (was === undefined) checkIntent(commit, is, report)
  else if (was.amount !== is.amount || was.currency !== is.currency) report('M5', `${id} changed its amount`)
  const from = was?.status ?? null
  const moved = from !== is.status
  if (moved && !payment_moves[String(from)]?.includes(String(is.status)))
    report('M6', `${id} went from ${from} to ${is.status}`)
  if (is.status === 'failed' && is.evidence === null) report('M7', `${id} failed without evidence`)
  const expected = moved && is.source === 'api' ? `payment.${is.status}` : ''
  const wrong = wronglyFiled(commit, id, expected)
  if (wrong) report('M30', `${id} went from ${from} to ${is.status} and announced ${wrong}`)
  checkFollowed(commit, is, report)
}

/** What was announced about an object instead of exactly this type; null if it is right. An empty type expects none. */
function wronglyFiled(commit: Commit, id: string, expected: string): string | null {
  const filed = filedAbout(commit, id).join()
  return filed === expected ? null : filed || 'nothing'
}

/** A payment's sums, and what it pays for, must have changed in the same commit. */
function checkFollowed(commit: Commit, is: Tables['payments'], report: Report): void {
  const refunds = rowsWhere(commit, 'refunds', ({ payment }) => payment === is.id)
  checkBalance(is, refunds, report)
  const page = rowAt(commit, 'checkout_sessions', is.checkout_session)
  if (page) checkPageNow(commit, page, report)
  const invoice = rowAt(commit, 'invoices', is.invoice)
  if (invoice) checkInvoiceNow(commit, invoice, report)
}

function checkIntent(commit: Commit, is: Tables['payments'], report: Report): void {
  const { id, status, listed, payment_method, amount, created_at } = is
  if (status !== null || listed) report('M4', `${id} began as ${status}`)
  if (!Number.isSafeInteger(amount) || amount < 1) report('M48', `${id} is of ${amount}`)
  const method = rowAt(commit, 'payment_methods', payment_method)
  if (method === undefined) {
    report('M8', `${id} charges a method that is not there`)
    return
  }
  const held = commit.changes.find(
    ({ table, id: changed }) => table === 'payment_methods' && changed === method.id,
  )
  const before = held?.table === 'payment_methods' ? held.was : method
  if (
    method.status !== 'active' ||
    (before && (before.status !== 'active' || before.charging_payment !== null))
  )
    report(
      'M8',
      `${id} charges ${method.id}, which is ${before?.status} and charged by ${before?.charging_payment}`,
    )
  if (method.usage === 'one_time' && method.charging_payment !== id)
    report('M8', `${id} does not hold ${method.id}`)
  if (method.expires_at !== null && created_at > method.expires_at)
    report('M10', `${id} was asked for at ${created_at}; ${method.id} was usable until ${method.expires_at}`)
  const page = rowAt(commit, 'checkout_sessions', is.checkout_session)
  if (page !== undefined && created_at >= page.expires_at)
    report('M29', `${id} was begun at ${created_at} on ${page.id}, which was over at ${page.expires_at}`)
  if (method.type === 'us_bank_account' && method.terms_version === null)
    report('M11', `${id} debits ${method.id} without an accepted authorization`)
  if (method.authorized_amount !== null && method.authorized_amount !== amount)
    report('M5', `${id} is of ${amount}, authorized was ${method.authorized_amount}`)
}

/** M13 to M19, M30: a refund is claimed against a payment that is succeeded, and changes with its payment's sums. */
export function checkRefundMove(commit: Commit, { id, was, is }: Moved<'refunds'>, report: Report): void {
  const payment = rowAt(commit, 'payments', is.payment)
  if (was === undefined) {
    if (is.status !== null || is.listed) report('M19', `${id} began as ${is.status}`)
    if (payment?.status !== 'succeeded')
      report('M16', `${id} was asked for while ${is.payment} is ${payment?.status}`)
  } else checkRefundStep(was, is, report)
  const from = was?.status ?? null
  const expected = from === is.status ? '' : `refund.${is.status}`
  const wrong = wronglyFiled(commit, id, expected)
  if (wrong) report('M30', `${id} went from ${from} to ${is.status} and announced ${wrong}`)
  checkRefund(is, payment, report)
  if (payment) checkFollowed(commit, payment, report)
}

const method_moves: Readonly<Record<string, readonly string[]>> = {
  active: ['consumed', 'expired', 'detached'],
}

/** M8 to M10: a session yields one method while it may, and a method that is spent stays so. */
export function checkMethodMove(
  commit: Commit,
  { id, was, is }: Moved<'payment_methods'>,
  report: Report,
): void {
  if (was === undefined) {
    checkMade(commit, is, report)
    return
  }
  if (was.status !== is.status && !method_moves[was.status]?.includes(is.status))
    report('M8', `${id} went from ${was.status} to ${is.status}`)
  const holder = rowAt(commit, 'payments', is.charging_payment)
  if (is.charging_payment !== null && was.charging_payment !== is.charging_payment && holder?.status !== null)
    report('M8', `${id} is held by ${is.charging_payment}, which is ${holder?.status}`)
}

function checkMade(commit: Commit, is: Tables['payment_methods'], report: Report): void {
  const session = rowAt(commit, 'payment_method_sessions', is.session)
  if (session?.payment_method !== is.id) report('M9', `${is.session} does not name ${is.id}`)
  if (rowsWhere(commit, 'payment_methods', (one) => one.session === is.session).length > 1)
    report('M9', `${is.session} yielded two payment methods`)
  if (session?.status !== 'succeeded' || session.succeeded_at === null) {
    report('M10', `${is.id} was made of a session that is ${session?.status}`)
    return
  }
  if (Date.parse(is.created_at) > Date.parse(session.succeeded_at) + half_hour_ms)
    report('M10', `${is.id} was made of ${is.session} too late`)
}

const session_moves: Readonly<Record<string, readonly string[]>> = {
  requires_payment_method: ['succeeded', 'canceled', 'expired'],
}

/** M9, M10: a session is confirmed before it expires, and yields its one method for good. */
export function checkSessionMove(
  _commit: Commit,
  { id, was, is }: Moved<'payment_method_sessions'>,
  report: Report,
): void {
  if (was === undefined) return
  if (was.status !== is.status && !session_moves[was.status]?.includes(is.status))
    report('M10', `${id} went from ${was.status} to ${is.status}`)
  if (was.status !== is.status && is.succeeded_at !== null && is.succeeded_at >= is.expires_at)
    report('M10', `${id} was confirmed at ${is.succeeded_at}, and was over at ${is.expires_at}`)
  if (was.payment_method !== null && was.payment_method !== is.payment_method)
    report('M9', `${id} yielded ${was.payment_method} and then ${is.payment_method}`)
}

/** M26 to M29: a page is paid once or expires, never while a payment is in flight, and announces that once. */
export function checkPageMove(
  commit: Commit,
  { id, was, is }: Moved<'checkout_sessions'>,
  report: Report,
): void {
  const from = was?.status ?? 'open'
  if (was) checkPageStep(was, is, report)
  if (was && was.status === 'open' && was.paying !== null && is.status === 'expired') {
    const payment = rowAt(commit, 'payments', was.paying)
    if (payment?.status !== 'failed' && payment?.status !== 'canceled' && payment?.status !== 'returned')
      report('M29', `${id} expired while ${was.paying} was in flight`)
  }
  const names: Readonly<Record<string, string>> = { complete: 'completed', expired: 'expired' }
  const expected = from === is.status ? '' : `checkout_session.${names[is.status]}`
  const wrong = wronglyFiled(commit, id, expected)
  if (wrong) report('M27', `${id} went from ${from} to ${is.status} and announced ${wrong}`)
  checkPageNow(commit, is, report)
}

function checkPageNow(commit: Commit, page: Tables['checkout_sessions'], report: Report): void {
  const payments = rowsWhere(commit, 'payments', ({ checkout_session }) => checkout_session === page.id)
  checkPaid(page, payments, report)
  checkPaying(page, payments, report)
}

/** M20 to M25: an invoice's amounts are those of its payments and refunds. */
export function checkInvoiceMove(commit: Commit, { id, was, is }: Moved<'invoices'>, report: Report): void {
  if (was && was.total !== is.total) report('M20', `${id} changed its total`)
  checkInvoiceNow(commit, is, report)
}

function checkInvoiceNow(commit: Commit, invoice: Tables['invoices'], report: Report): void {
  const payments = rowsWhere(commit, 'payments', (one) => one.invoice === invoice.id)
  const ids = new Set(payments.map(({ id }) => id))
  const refunds = rowsWhere(commit, 'refunds', ({ payment }) => ids.has(payment))
  checkMoney(invoice, payments, refunds, report)
  checkTerms(invoice, report)
}
