import type { PaymentMethodSessionRow } from '../../payment-method-sessions/payment-method-session.ts'
import type { PaymentMethodRow } from '../../payment-methods/payment-method.ts'
import { inItsEnvironment, notOverdue, ofItsCustomer } from './any-row.ts'
import { type Around, check } from './check.ts'
import type { Report } from './violation.ts'

export const paymentMethodSessions = check(
  'payment_method_sessions',
  [],
  inItsEnvironment,
  notOverdue,
  ofItsCustomer,
  checkSession,
)
export const paymentMethods = check(
  'payment_methods',
  ['paymentsOn'],
  inItsEnvironment,
  notOverdue,
  ofItsCustomer,
  checkSource,
  checkUse,
  checkSpent,
)

/** M9, M10, M53: a session that succeeded says when, and names the one method it yielded. */
async function checkSession(
  session: PaymentMethodSessionRow,
  { rows }: Around,
  report: Report,
): Promise<void> {
  const { id, status, succeeded_at, canceled_at, expires_at, token, payment_method, due_at } = session
  if (succeeded_at !== null && succeeded_at >= expires_at)
    report('M10', `succeeded at ${succeeded_at}, when it was over`)
  if ((status === 'succeeded') !== (succeeded_at !== null))
    report('M10', `is ${status} and succeeded_at is ${succeeded_at}`)
  if ((status === 'succeeded') !== (token !== null))
    report('M10', `is ${status} and ${token === null ? 'has no token' : 'has a token'}`)
  if ((status === 'canceled') !== (canceled_at !== null))
    report('M10', `is ${status} and canceled_at is ${canceled_at}`)
  if (due_at !== (status === 'requires_payment_method' ? expires_at : null))
    report('M53', `is ${status}, expires at ${expires_at} and due_at is ${due_at}`)
  if (payment_method === null) return
  const method = await rows.payment_methods.get(payment_method)
  if (method?.session !== id) report('M9', `names ${payment_method}, which is not of this session`)
}

/** The fields that a method gets from its session. */
const given = ['customer', 'token', 'card', 'us_bank_account'] as const

/** M9, M10, M11: its session succeeded and names it back; a bank account has an accepted authorization. */
async function checkSource(method: PaymentMethodRow, { rows }: Around, report: Report): Promise<void> {
  const { id, type, usage, customer, expires_at, terms_version, authorized_amount } = method
  const session = await rows.payment_method_sessions.get(method.session)
  const differ = given.filter(
    (column) => JSON.stringify(session?.[column]) !== JSON.stringify(method[column]),
  )
  if (session?.payment_method !== id) report('M9', `was made of ${method.session}, which does not name it`)
  else if (session.status !== 'succeeded')
    report('M10', `was made of ${session.id}, which is ${session.status}`)
  else if (differ.length > 0) report('M9', `has another ${differ.join(' and ')} than ${session.id}`)
  if ((usage === 'one_time') !== (expires_at !== null))
    report('M8', `is ${usage} and expires_at is ${expires_at}`)
  if (usage === 'one_time' && customer !== null) report('M8', 'is one_time and belongs to a customer')
  if (type !== 'us_bank_account') return
  const authorization = session?.ach_authorization ?? null
  if (terms_version === null || authorization === null) report('M11', 'has no accepted authorization')
  else if ((authorization.amount ?? null) !== authorized_amount)
    report('M11', `may be charged with ${authorized_amount}, and ${authorization.amount} was authorized`)
  if (usage === 'one_time' && authorized_amount === null) report('M5', 'does not say what was authorized')
}

/** M8, M53: held by at most one charge, which is not over. */
async function checkUse(method: PaymentMethodRow, { rows }: Around, report: Report): Promise<void> {
  const { id, status, charging_payment, due_at, expires_at } = method
  const over_at = status === 'active' && charging_payment === null ? expires_at : null
  // At `expires_at` itself it still works.
  const is_due = over_at === null ? due_at === null : Date.parse(due_at ?? '') - Date.parse(over_at) === 1
  if (!is_due) report('M53', `is ${status}, expires at ${expires_at} and due_at is ${due_at}`)
  if (charging_payment === null) return
  if (status !== 'active') report('M8', `is ${status} and being charged`)
  const payment = await rows.payments.get(charging_payment)
  if (payment?.payment_method !== id) report('M8', `is held by ${charging_payment}, which does not charge it`)
  else if (payment.status !== null && payment.status !== 'processing') {
    report('M8', `is held by ${payment.id}, which is ${payment.status}`)
  }
}

/** M8: a one-time method is charged by one payment; another one is made only if the first never reached the processor. */
async function checkSpent(
  { id, usage }: PaymentMethodRow,
  { paymentsOn }: Around,
  report: Report,
): Promise<void> {
  if (usage !== 'one_time') return
  const spent = (await paymentsOn(id)).filter(({ failure }) => failure?.code !== 'processor_unreachable')
  if (spent.length > 1) report('M8', `was charged by ${spent.map((payment) => payment.id).join(' and ')}`)
}
