import type { CheckoutSessionRow } from '../../checkout-sessions/checkout-session.ts'
import { datedWithin, inItsEnvironment, isMoney, notOverdue, ofItsCustomer } from './any-row.ts'
import { type Around, check } from './check.ts'
import type { Report } from './violation.ts'

export const checkoutSessions = check(
  'checkout_sessions',
  ['announced', 'paymentsOn'],
  inItsEnvironment,
  notOverdue,
  datedWithin('M26', 'completed_at'),
  ofItsCustomer,
  checkPayments,
  checkEvents,
)

/** M5, M26, M28, M29: a complete session names its one accepted payment, an open one its payment in flight. */
async function checkPayments(
  session: CheckoutSessionRow,
  { paymentsOn }: Around,
  report: Report,
): Promise<void> {
  const { id, status, payment, paying, completed_at, amount, currency, due_at, expires_at } = session
  const payments = await paymentsOn(id)
  if (!isMoney(amount) || amount < 1) report('M48', `is of ${amount}`)
  const complete = status === 'complete'
  if (complete !== (payment !== null)) report('M26', `is ${status} and payment is ${payment}`)
  if (complete !== (completed_at !== null)) report('M26', `is ${status} and completed_at is ${completed_at}`)
  const named = payments.find((one) => one.id === payment)
  if (payment !== null && named === undefined) report('M26', `names ${payment}, which was not made on it`)
  if (named?.payment_method_type === 'card' && named.succeeded_at === null)
    report('M26', `names ${payment}, which never succeeded`)
  const took = payments.filter(({ succeeded_at }) => succeeded_at !== null)
  if (took.length > 1) report('M26', `was paid ${took.length} times`)
  if (status === 'expired' && took.length > 0) report('M28', `is expired and was paid by ${took[0]?.id}`)
  if (status === 'open' && took.length > 0) report('M26', `is open and was paid by ${took[0]?.id}`)
  const moving = payments.filter(
    (one) => one.id !== payment && (one.status === null || one.status === 'processing'),
  )
  if (moving.length > 1) report('M29', `has ${moving.length} payments in flight`)
  if ((moving[0]?.id ?? null) !== paying)
    report('M29', `says that ${paying} is in flight, not ${moving[0]?.id ?? null}`)
  if (paying !== null && status !== 'open') report('M29', `is ${status} under a payment in flight`)
  if (due_at !== (status === 'open' && paying === null ? expires_at : null))
    report('M53', `is ${status}, expires at ${expires_at} and due_at is ${due_at}`)
  for (const one of payments) {
    if (one.amount !== amount || one.currency !== currency) {
      report('M5', `of ${amount} ${currency} was asked ${one.amount} ${one.currency} by ${one.id}`)
    }
    if (one.created_at >= expires_at)
      report('M29', `was over at ${expires_at}, and ${one.id} was made at ${one.created_at}`)
  }
}

/** M27: completed or expired, not both, and announced once. */
async function checkEvents(
  { id, status }: CheckoutSessionRow,
  { announced }: Around,
  report: Report,
): Promise<void> {
  const types = (await announced(id)).map((type) => type.replace('checkout_session.', '')).join(', ')
  const expected = { open: '', complete: 'completed', expired: 'expired' }[status]
  if (types !== expected) report('M27', `is ${status} and announced ${types || 'nothing'}`)
}
