import { keyOf, type Moment, type Report } from './moment.ts'
import type { Rows } from './rows.ts'

type Session = Rows['checkout_sessions'][number]
type Payment = Rows['payments'][number]

/** M26 to M29: a page is paid once or expires, and never closes while a payment on it is in flight. */
export function checkCheckoutSessions({ rows, charges, before }: Moment, report: Report): void {
  const bySession = Map.groupBy(rows.payments, ({ checkout_session }) => checkout_session)
  const holding = new Set(
    charges
      .filter(({ state }) => ['approved', 'settled', 'accepted', 'undecided'].includes(state.kind))
      .map(({ key }) => key),
  )
  for (const session of rows.checkout_sessions) {
    const payments = bySession.get(session.id) ?? []
    checkPaid(session, payments, report)
    checkPaying(session, payments, report)
    const held = payments.some((payment) => holding.has(keyOf(payment)))
    if (session.status === 'expired' && held) report('M28', `${session.id} is expired and holds a charge`)
  }
  const now = new Map(rows.checkout_sessions.map((session) => [session.id, session]))
  for (const was of before?.checkout_sessions ?? []) checkPageStep(was, now.get(was.id), report)
}

/** M26, M27: a page that has ended stays as it ended. */
export function checkPageStep(was: Session, is: Session | undefined, report: Report): void {
  const { id, status, payment } = was
  if (status !== 'open' && is?.status !== status) report('M27', `${id} went from ${status} to ${is?.status}`)
  if (payment !== null && is?.payment !== payment) report('M26', `${id} names another payment now`)
}

/** M26: a complete session names the one payment that was accepted. */
export function checkPaid(session: Session, payments: readonly Payment[], report: Report): void {
  const { id, status, payment, completed_at, amount, currency } = session
  const complete = status === 'complete'
  if (complete !== (payment !== null) || complete !== (completed_at !== null))
    report('M26', `${id} is ${status}; payment or completed_at disagrees`)
  const took = payments.filter(({ succeeded_at }) => succeeded_at !== null)
  if (took.length > 1) report('M26', `${id} was paid ${took.length} times`)
  const named = payments.find((one) => one.id === payment)
  if (complete && named === undefined) report('M26', `${id} names a payment that is not its own`)
  if (complete && named?.payment_method_type === 'card' && named.succeeded_at === null)
    report('M26', `${id} is complete and its card payment never succeeded`)
  if (!complete && took.some(({ status }) => status === 'succeeded'))
    report('M26', `${id} is ${status} and was paid`)
  for (const one of payments) {
    if (one.amount !== amount || one.currency !== currency)
      report('M5', `${one.id} is of another amount than its page`)
  }
}

/** M29: `paying` is the payment in flight on an open page, and there is at most one. */
export function checkPaying(
  { id, status, paying, payment }: Session,
  payments: readonly Payment[],
  report: Report,
) {
  const moving = payments.filter(({ status }) => status === null || status === 'processing')
  const others = moving.filter((one) => one.id !== payment)
  if (others.length > 1) report('M29', `${id} has ${others.length} payments in flight`)
  if ((others[0]?.id ?? null) !== paying) report('M29', `${id}: paying is ${paying}, not ${others[0]?.id}`)
  if (paying !== null && status !== 'open') report('M29', `${id} is ${status} under a payment in flight`)
}
