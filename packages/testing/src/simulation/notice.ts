import type { TableName } from '@quittance/core'
import type { Changed } from '../invariants/book.ts'
import { type Commit, rowAt, rowsWhere } from '../invariants/commit.ts'
import { isPaused } from '../invariants/commit-deliveries.ts'
import type { Situation } from './situations.ts'

type Saw = (situation: Situation) => void
type Notice<Name extends TableName> = (commit: Commit, change: Changed<Name>, saw: Saw) => void

/** Counts the situations that a commit shows. */
export function noticeCommit(commit: Commit, saw: Saw): void {
  for (const change of commit.changes) {
    const notice = notices[change.table] as Notice<TableName> | undefined
    notice?.(commit, change as Changed<TableName>, saw)
  }
}

const notices: { readonly [Name in TableName]?: Notice<Name> } = {
  payments: noticePayment,
  refunds: noticeRefund,
  payment_methods: noticeMethod,
  payment_method_sessions: noticeSession,
  checkout_sessions: noticePage,
  invoices: noticeInvoice,
  deliveries: noticeDelivery,
  webhook_endpoints: noticeEndpoint,
  idempotency_keys: noticeKey,
}

function noticePayment(commit: Commit, { was, is }: Changed<'payments'>, saw: Saw): void {
  if (is === undefined || was?.status === is.status) return
  const { status, evidence, payment_method_type: type, failure } = is
  const card = type === 'card'
  if (was === undefined) {
    const method = rowAt(commit, 'payment_methods', is.payment_method)
    const charged = rowsWhere(commit, 'payments', (one) => one.payment_method === is.payment_method)
    if (method?.usage === 'saved' && charged.length > 1) saw('a saved method was charged again')
    return
  }
  const from = was.status
  if (evidence === 'notification' && from === null)
    saw('a charge was told of by a notification before its own answer')
  if (evidence === 'lookup' && status === 'succeeded') saw('an approved charge was found by the reconciler')
  if (evidence === 'lookup' && status === 'failed') saw('a declined charge was found by the reconciler')
  if (evidence === 'not_found') saw('a charge that never arrived was fenced off by the reconciler')
  if (evidence === 'never_sent') saw('a payment never left')
  if (status === 'processing')
    saw(card ? 'a payment was unanswered and became processing' : 'a debit was accepted')
  if (status === 'failed' && card && evidence === 'answer') saw('a card was declined')
  if (status === 'failed' && !card && from === 'processing') saw('a debit was refused by the bank')
  if (status === 'succeeded' && !card) saw('a debit settled')
  if (status === 'canceled') saw('a payment was voided')
  if (status === 'returned') {
    if (failure?.return_code === 'chargeback') saw('a card payment was charged back')
    else
      saw(
        from === 'processing'
          ? 'a debit was returned straight from processing'
          : 'a debit was returned after it had settled',
      )
    if (is.refunds_succeeded > 0) saw('a payment came back after a refund of it')
  }
}

function noticeRefund(commit: Commit, { was, is }: Changed<'refunds'>, saw: Saw): void {
  if (is === undefined || was === undefined || was.status === is.status) return
  if (is.status === 'succeeded') saw('a refund succeeded')
  if (is.status === 'succeeded' && is.amount < (rowAt(commit, 'payments', is.payment)?.amount ?? 0))
    saw('a part of a payment was refunded')
  if (is.status === 'succeeded' && is.lookups > 0) saw('a refund was found by the reconciler')
  if (is.status !== 'failed') return
  if (was.status === 'pending') saw('a refund failed later and gave its amount back')
  else if (is.failure?.code === 'processor_unreachable') saw('a refund that never arrived was fenced off')
  else saw('a refund was refused')
}

function noticeMethod(_commit: Commit, { was, is }: Changed<'payment_methods'>, saw: Saw): void {
  if (is === undefined || was === undefined) return
  if (was.charging_payment !== null && is.charging_payment === null && is.status === 'active')
    saw('a method was given back by a charge that never left')
  if (was.status === is.status) return
  if (is.status === 'expired') saw('a method expired')
  if (is.status === 'detached') saw('a method was detached')
}

function noticeSession(_commit: Commit, { was, is }: Changed<'payment_method_sessions'>, saw: Saw): void {
  if (was?.status !== is?.status && is?.status === 'canceled') saw('a session was canceled')
}

function noticePage(commit: Commit, { was, is }: Changed<'checkout_sessions'>, saw: Saw): void {
  if (is === undefined || was === undefined) return
  if (was.status === 'open' && is.status === 'complete') {
    const payment = rowAt(commit, 'payments', is.payment)
    saw(
      payment?.payment_method_type === 'card' ? 'a page was paid by card' : 'a page was completed by a debit',
    )
  }
  if (was.paying !== null && is.paying === null && is.status === 'open')
    saw('a page stayed open after a declined card')
  if (was.status !== 'open' || is.status !== 'expired') return
  if (was.paying !== null) saw('a page expired when its payment failed after its time')
  saw(is.changed_at >= is.expires_at ? 'a page expired by its time' : 'a page was expired by the merchant')
}

function noticeInvoice(_commit: Commit, { was, is }: Changed<'invoices'>, saw: Saw): void {
  if (is === undefined || was === undefined) return
  if (was.amount_pending === 0 && is.amount_pending > 0) saw('an invoice kept money pending')
  if (is.written_off > was.written_off) saw('an invoice was written off')
  if (was.status === 'paid' && is.status === 'open') saw('an invoice was reopened by money that came back')
  if (was.status !== is.status && is.status === 'canceled') saw('an invoice was canceled')
  if (is.amount_paid <= was.amount_paid) return
  saw(is.status === 'paid' ? 'an invoice was paid in full' : 'an invoice was paid in part')
}

function noticeDelivery(commit: Commit, { was, is }: Changed<'deliveries'>, saw: Saw): void {
  if (is === undefined || was === undefined) {
    if (is?.origin === 'resend') saw('an event was sent again')
    if (is?.lease === 1) saw('a delivery was leased by the commit that filed it')
    return
  }
  if (is.attempt_count > was.attempt_count && is.last_error === 'timeout') saw('an attempt timed out')
  if (was.status === is.status) return
  const endpoint = rowAt(commit, 'webhook_endpoints', is.endpoint)
  if (is.status === 'succeeded') {
    saw(is.attempt_count > 1 ? 'an event was delivered by a retry' : 'an event was delivered at once')
    if (was.stopped) saw('a delivery succeeded after its endpoint was disabled')
  }
  if (is.status === 'exhausted') saw('a delivery ran its whole schedule')
  if (is.status === 'canceled') {
    const failed = is.attempt_count > was.attempt_count
    saw(
      failed
        ? 'a delivery was canceled by its own failure after its endpoint was disabled'
        : 'a delivery was canceled',
    )
    if (endpoint?.listed === false && !failed) saw('an endpoint was deleted with deliveries pending')
  }
}

function noticeEndpoint(_commit: Commit, { was, is }: Changed<'webhook_endpoints'>, saw: Saw): void {
  if (is === undefined || was === undefined) return
  if (isPaused(was, is)) saw('an endpoint was paused automatically')
  if (was.status === 'disabled' && is.status === 'enabled') saw('an endpoint was resumed')
}

function noticeKey(commit: Commit, { was, is }: Changed<'idempotency_keys'>, saw: Saw): void {
  if (was === undefined) return
  if (is === undefined)
    saw(
      was.lease_until === null ? 'a key was forgotten after its time' : 'a key of a dead request was let go',
    )
  else if (was.lease_until !== null && is.lease_until === null) {
    if (was.lease_until <= commit.now) saw('a key of a dead request was healed')
    if (is.answer_status === 500) saw('a fault was answered and kept')
  }
}
