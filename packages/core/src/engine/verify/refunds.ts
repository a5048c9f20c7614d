import type { RefundRow } from '../../refunds/refund.ts'
import { datedWithin, inItsEnvironment, isMoney, notOverdue, notPutOff, precedes } from './any-row.ts'
import { type Around, check } from './check.ts'
import type { Report } from './violation.ts'

export const refunds = check(
  'refunds',
  ['announced'],
  inItsEnvironment,
  notOverdue,
  notPutOff,
  datedWithin('M19', 'succeeded_at', 'failed_at'),
  checkStatus,
  checkPayment,
  checkEvents,
)

/** M14, M18, M19, M53: the other columns agree with the status. */
function checkStatus(refund: RefundRow, _: Around, report: Report): void {
  const { status, listed, payment, pending_of, amount, failure, due_at } = refund
  const { succeeded_at, failed_at } = refund
  const name = status ?? 'an intent'
  const open = status === null || status === 'pending'
  if (listed !== (status !== null)) report('M19', `is ${name} and listed is ${listed}`)
  if ((status === 'succeeded') !== (succeeded_at !== null))
    report('M19', `is ${name} and succeeded_at is ${succeeded_at}`)
  if ((status === 'failed') !== (failed_at !== null))
    report('M19', `is ${name} and failed_at is ${failed_at}`)
  if ((status === 'failed') !== (failure !== null))
    report('M19', `is ${name} and its failure is ${failure?.code ?? null}`)
  if (pending_of !== (open ? payment : null))
    report('M14', `of ${payment} is ${name} and pending_of is ${pending_of}`)
  if (!isMoney(amount) || amount < 1) report('M18', `is of ${amount}`)
  if (open !== (due_at !== null)) report('M53', `is ${name} and due_at is ${due_at}`)
}

/** M16, M18: its payment succeeded once, had not been returned, and is in the same currency. */
async function checkPayment(refund: RefundRow, { rows }: Around, report: Report): Promise<void> {
  const { payment: id, amount, currency, created_at } = refund
  const payment = await rows.payments.get(id)
  if (payment === undefined) report('M16', `is of ${id}, which is not there`, id)
  else if (payment.succeeded_at === null) report('M16', `is of ${id}, which never succeeded`)
  else if (precedes(created_at, payment.succeeded_at))
    report('M16', `was made at ${created_at}, before ${id} succeeded at ${payment.succeeded_at}`)
  else if (payment.returned_at !== null && precedes(payment.returned_at, created_at))
    report('M16', `was made at ${created_at}, when ${id} had come back`)
  else if (payment.currency !== currency)
    report('M18', `is in ${currency}; its payment is in ${payment.currency}`)
  else if (amount > payment.amount) report('M13', `of ${amount} is of a payment of ${payment.amount}`)
}

/** M30, M31: its status was announced once. */
async function checkEvents({ id, status }: RefundRow, { announced }: Around, report: Report): Promise<void> {
  const types = (await announced(id)).map((type) => type.replace('refund.', ''))
  if (new Set(types).size !== types.length) report('M31', `announced a status twice: ${types}`)
  if (types.includes('succeeded') && types.includes('failed')) report('M31', `announced two ends: ${types}`)
  // Not the last one: events that two processes filed can share their time, and then their ids do not tell the order.
  const reached = types.find((type) => type !== 'pending') ?? types[0] ?? null
  if (reached !== status) {
    report('M30', `is ${status ?? 'an intent'} and announced ${types.join(', ') || 'nothing'}`)
  }
}
