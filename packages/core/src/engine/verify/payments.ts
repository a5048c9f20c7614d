import { everyRow } from '../../kernel/page.ts'
import type { PaymentRow } from '../../payments/payment.ts'
import { neverSent } from '../../payments/payment-machine.ts'
import type { Reads } from '../../ports/store.ts'
import type { RefundRow } from '../../refunds/refund.ts'
import {
  datedWithin,
  inItsEnvironment,
  isMoney,
  naming,
  notOverdue,
  notPutOff,
  ofItsCustomer,
  totalOf,
} from './any-row.ts'
import { type Around, check } from './check.ts'
import type { Report } from './violation.ts'

const stamps = ['succeeded_at', 'failed_at', 'canceled_at', 'returned_at'] as const

export const payments = check(
  'payments',
  ['announced'],
  inItsEnvironment,
  notOverdue,
  notPutOff,
  datedWithin('M6', ...stamps),
  checkStatus,
  checkEvidence,
  checkBalance,
  checkEvents,
  checkMethod,
  naming('invoice', 'invoices', 'an invoice'),
  naming('checkout_session', 'checkout_sessions', 'a checkout session'),
  ofItsCustomer,
)

/** M6, M48, M53: the other columns agree with the status. */
function checkStatus(payment: PaymentRow, _: Around, report: Report): void {
  const { status, source, listed, amount, due_at, lookups, succeeded_at, returned_at } = payment
  if (listed !== (status !== null && source === 'api'))
    report('M6', `is ${status ?? 'an intent'} and listed is ${listed}`)
  if (status === 'authorized') report('M6', 'is authorized: every charge is a sale')
  for (const stamp of stamps) {
    const is = `${status}_at` === stamp
    const was = stamp === 'succeeded_at' && status === 'returned'
    if (is ? payment[stamp] === null : payment[stamp] !== null && !was)
      report('M6', `is ${status ?? 'an intent'} and ${stamp} is ${payment[stamp]}`)
  }
  if (returned_at !== null && succeeded_at !== null && returned_at < succeeded_at)
    report('M6', `came back at ${returned_at}, before it succeeded at ${succeeded_at}`)
  if (!isMoney(amount) || amount < 1) report('M48', `is of ${amount}`)
  const open = status === null || status === 'processing'
  if (open !== (due_at !== null))
    report('M53', `is ${status ?? 'an intent'}; after ${lookups} lookups due_at is ${due_at}`)
}

/** M7: an outcome rests on what the processor said; the failure of a charge that never reached it, on evidence of that. */
function checkEvidence({ status, failure, evidence }: PaymentRow, _: Around, report: Report): void {
  const told = evidence === 'answer' || evidence === 'lookup' || evidence === 'notification'
  const unreached = evidence === 'never_sent' || evidence === 'not_found'
  const ended = status !== null && status !== 'processing'
  const proven = failure?.code === neverSent.code ? unreached : told
  if (ended && !proven)
    report('M7', evidence === null ? `${status} and nothing proves it` : `is ${status} by ${evidence}`)
  if (status === 'failed' && failure === null) report('M7', 'failed and does not say why')
  if (status === 'returned' && failure === null) report('M7', 'was returned and does not say why')
  if (status !== 'failed' && status !== 'returned' && failure !== null)
    report('M7', `is ${status ?? 'an intent'} and says why it failed`)
}

/** M13, M14, M17: the payment's sums are those of its refunds. */
async function checkBalance(payment: PaymentRow, { rows }: Around, report: Report): Promise<void> {
  const { id, amount, amount_refunded, refunds_succeeded } = payment
  const refunds = await refundsOf(rows, id)
  const succeeded = totalOf(refunds.filter(({ status }) => status === 'succeeded'))
  const claimed = succeeded + totalOf(refunds.filter(({ status }) => status === 'pending'))
  if (claimed > amount || amount_refunded > amount)
    report('M13', `of ${amount} is refunded with ${Math.max(claimed, amount_refunded)}`)
  if (amount_refunded !== claimed)
    report('M17', `says ${amount_refunded} refunded; its refunds say ${claimed}`)
  if (refunds_succeeded !== succeeded)
    report('M17', `says ${refunds_succeeded} of it succeeded; its refunds say ${succeeded}`)
  const under_way = refunds.filter(({ status }) => status === null || status === 'pending')
  if (under_way.length > 1) report('M14', `has ${under_way.length} refunds under way`)
}

/** The listed refunds and the intent, each found by an index. */
async function refundsOf(rows: Reads, payment: string): Promise<RefundRow[]> {
  const found = new Map<string, RefundRow>()
  for (const where of [{ payment, listed: true }, { pending_of: payment }]) {
    for await (const refund of everyRow(rows.refunds, where)) found.set(refund.id, refund)
  }
  return [...found.values()]
}

/** M30, M31: each status it reached was announced once; for money taken on an invoice's page, none. */
async function checkEvents(payment: PaymentRow, { announced }: Around, report: Report): Promise<void> {
  const { id, status, source } = payment
  const types = (await announced(id)).map((type) => type.replace('payment.', ''))
  if (source !== 'api' || status === null) {
    if (types.length > 0)
      report('M31', `is ${status === null ? 'an intent' : 'of an invoice page'} and announced ${types}`)
    return
  }
  if (new Set(types).size !== types.length) report('M31', `announced a status twice: ${types}`)
  if (!types.includes(status)) report('M30', `is ${status} and did not announce it`)
  for (const stamp of stamps) {
    const type = stamp.replace('_at', '')
    if ((payment[stamp] !== null) !== types.includes(type))
      report('M30', `${stamp} is ${payment[stamp]}, and it announced ${types.join(', ') || 'nothing'}`)
  }
}

/**
 * M8 to M10: its method exists, in time, and is its customer's; a one-time one is spent once its charge reached the processor.
 */
async function checkMethod(payment: PaymentRow, { rows }: Around, report: Report): Promise<void> {
  const { id, status, failure, customer, payment_method, payment_method_type } = payment
  const method = await rows.payment_methods.get(payment_method)
  if (method === undefined) {
    report('M9', `charges ${payment_method}, which is not there`, payment_method)
    return
  }
  if (method.type !== payment_method_type)
    report('M9', `is of a ${payment_method_type}; its method is a ${method.type}`)
  if (method.customer !== null && method.customer !== customer)
    report('M9', `is of the customer ${customer}; its method belongs to ${method.customer}`)
  const reached = status !== null && failure?.code !== neverSent.code
  const held = method.charging_payment === id
  if (method.usage === 'one_time' && reached && method.status !== 'consumed' && !held) {
    report('M8', `reached the processor, and its one-time method ${method.id} is ${method.status}`)
  }
  const { authorized_amount, expires_at } = method
  if (expires_at !== null && expires_at < payment.created_at)
    report('M10', `charges ${method.id}, which was over at ${expires_at}`)
  if (
    method.type === 'us_bank_account' &&
    authorized_amount !== null &&
    authorized_amount !== payment.amount
  ) {
    report('M5', `is of ${payment.amount}; ${authorized_amount} was authorized`)
  }
}
