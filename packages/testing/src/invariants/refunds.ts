import { heldTwice, keyOf, type Moment, type Report, saidOf, total } from './moment.ts'
import type { Rows } from './rows.ts'

type Refund = Rows['refunds'][number]
type Payment = Rows['payments'][number]

/** M13 to M19: only captured money is refunded, once, and never more than there is. */
export function checkRefunds(moment: Moment, report: Report): void {
  const { rows, charges, refunded, before, clock_was_set } = moment
  const payments = new Map(rows.payments.map((payment) => [payment.id, payment]))
  const byPayment = Map.groupBy(rows.refunds, ({ payment }) => payment)
  for (const payment of rows.payments) checkBalance(payment, byPayment.get(payment.id) ?? [], report)
  for (const refund of rows.refunds) {
    checkRefund(refund, payments.get(refund.payment), report)
    if (!clock_was_set) checkAsked(refund, payments.get(refund.payment), report)
  }

  const known = new Map(rows.refunds.map((refund) => [keyOf(refund), refund]))
  const own = refunded.filter(({ charge_key }) =>
    rows.payments.some((payment) => keyOf(payment) === charge_key),
  )
  for (const held of heldTwice(own)) report('M15', `the processor refunded more than once for ${held}`)
  for (const { key, amount, currency, charge_key } of own) {
    const refund = known.get(key)
    const matches = refund?.amount === amount && refund.currency === currency
    if (!matches || !charge_key.endsWith(`.${refund.payment}`))
      report('M15', `${key} is refunded with ${amount} ${currency}, which no refund of ours says`)
  }
  for (const charge of charges) {
    const accepted = own.filter((one) => one.charge_key === charge.key && one.state.kind !== 'refused')
    if (total(accepted) > charge.amount)
      report('M15', `${charge.key} is refunded with more than was captured`)
  }
  checkGivenBack(moment, report)
  for (const was of before?.refunds ?? []) checkRefundStep(was, known.get(keyOf(was)), report)
}

/** M15: every refund of ours that succeeded did so at the processor, and, at rest, the other way round too. */
function checkGivenBack(moment: Moment, report: Report): void {
  const theirs = new Map(moment.refunded.map((one) => [one.key, one.state]))
  for (const refund of moment.rows.refunds) {
    const { id, payment, amount, currency, status } = refund
    const held = theirs.get(keyOf(refund))
    const differ = (what: typeof status) => (status === what) !== (held?.kind === what)
    const waits = held === undefined && status === 'pending' && moment.unknown?.has(keyOf(refund))
    const at_rest = moment.quiet && !waits && (differ('succeeded') || differ('pending'))
    if (!at_rest && (status !== 'succeeded' || held?.kind === 'succeeded')) continue
    report('M15', `${id} of ${amount} ${currency}, of ${payment}, is ${status}; ${saidOf('refund', held)}`)
  }
}

/** M13, M14, M17: the payment's sums are those of its refunds. */
export function checkBalance(payment: Payment, refunds: readonly Refund[], report: Report): void {
  const { id, amount, amount_refunded, refunds_succeeded } = payment
  const succeeded = total(refunds.filter(({ status }) => status === 'succeeded'))
  const claimed = succeeded + total(refunds.filter(({ status }) => status === 'pending'))
  if (claimed > amount) report('M13', `${id} of ${amount} is refunded with ${claimed}`)
  if (amount_refunded !== claimed)
    report('M17', `${id} says ${amount_refunded} refunded; its refunds say ${claimed}`)
  if (refunds_succeeded !== succeeded)
    report('M17', `${id} says ${refunds_succeeded} have succeeded, not ${succeeded}`)
  if (refunds.filter(isUnderWay).length > 1) report('M14', `${id} has two refunds under way`)
}

/** M14, M18, M19: one refund and its payment. */
export function checkRefund(refund: Refund, payment: Payment | undefined, report: Report): void {
  const { id, status, amount, pending_of, failure } = refund
  if (payment === undefined) {
    report('M16', `${id} is of a payment that is not there`)
    return
  }
  const { currency } = payment
  if (isUnderWay(refund) !== (pending_of === payment.id))
    report('M14', `${id} is ${status} and pending_of disagrees`)
  if (!Number.isSafeInteger(amount) || amount < 1) report('M18', `${id} is of ${amount}`)
  if (refund.currency !== currency) report('M18', `${id} is in another currency than its payment`)
  if ((status === null) === refund.listed) report('M19', `${id} is an intent and listed`)
  if ((status === 'succeeded') !== (refund.succeeded_at !== null))
    report('M19', `${id} is ${status} and succeeded_at disagrees`)
  if ((status === 'failed') !== (refund.failed_at !== null && failure !== null))
    report('M19', `${id} is ${status}; failed_at or failure disagrees`)
}

/** M16: a refund is created only while its payment is succeeded. */
function checkAsked({ id, created_at }: Refund, payment: Payment | undefined, report: Report): void {
  if (payment === undefined) return
  const { succeeded_at, returned_at } = payment
  if (succeeded_at === null || created_at < succeeded_at)
    report('M16', `${id} was asked for before ${payment.id} succeeded`)
  if (returned_at !== null && created_at > returned_at)
    report('M16', `${id} was asked for after ${payment.id} was returned`)
}

/** M19: the status of a refund is first null, then may be pending, and then is final for good. */
export function checkRefundStep(was: Refund, is: Refund | undefined, report: Report): void {
  if (is === undefined) {
    report('M19', `${was.id} is gone`)
    return
  }
  const stayed = was.status === is.status
  const allowed = was.status === null || (was.status === 'pending' && is.status !== null)
  if (!stayed && !allowed) report('M19', `${is.id} went from ${was.status} to ${is.status}`)
  if (was.amount !== is.amount) report('M18', `${is.id} changed its amount`)
}

function isUnderWay({ status }: Refund): boolean {
  return status === null || status === 'pending'
}
