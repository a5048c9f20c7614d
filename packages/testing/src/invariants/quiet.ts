import { isCaptured, keyOf, type Moment, type Report, saidOf, total } from './moment.ts'

/** M3, M7, M44, M49, M53: at rest, every cent that the processor holds is accounted for, and nothing waits. */
export function checkQuiet(moment: Moment, report: Report): void {
  checkConservation(moment, report)
  checkReasons(moment, report)
  checkRest(moment, report)
}

/** M49: captured less refunded less returned is the same in our ledger and the processor's, in every currency. */
function checkConservation({ rows, charges, refunded }: Moment, report: Report): void {
  const keys = new Set(rows.payments.map(keyOf))
  const succeeded = rows.refunds.filter(({ status }) => status === 'succeeded')
  for (const currency of new Set(rows.payments.map((payment) => payment.currency))) {
    const taken = rows.payments.filter((one) => one.currency === currency && one.succeeded_at !== null)
    const ours = taken.map(({ id, amount, status }) => {
      const back = total(succeeded.filter(({ payment }) => payment === id))
      return { amount: status === 'returned' ? 0 : amount - back }
    })
    const captured = charges.filter(
      (charge) => keys.has(charge.key) && charge.currency === currency && isCaptured(charge),
    )
    const theirs = captured.map(({ key, amount, state }) => {
      const back = total(refunded.filter((one) => one.charge_key === key && one.state.kind === 'succeeded'))
      return { amount: state.kind === 'returned' ? 0 : amount - back }
    })
    if (total(ours) !== total(theirs))
      report('M49', `${currency}: ${total(ours)} is left by our ledger, ${total(theirs)} by the processor's`)
  }
}

/** M3, M7: what was stopped, refused or returned was so at the processor too, and gives the processor's reason. */
function checkReasons({ rows, charges, refunded }: Moment, report: Report): void {
  const charged = new Map(charges.map(({ key, state }) => [key, state]))
  for (const payment of rows.payments) {
    const { id, status, failure } = payment
    const state = charged.get(keyOf(payment))
    const ends = (status === 'canceled') === (state?.kind === 'voided')
    if (!ends || (status === 'returned') !== (state?.kind === 'returned'))
      report('M3', `${id} is ${status}; ${saidOf('charge', state)}`)
    if (status === 'returned' && state?.kind === 'returned' && failure?.return_code !== state.return_code)
      report('M7', `${id} was returned for ${failure?.return_code}; the processor says ${state.return_code}`)
    if (status === 'failed' && state?.kind === 'declined' && failure?.decline_code !== state.decline_code)
      report('M7', `${id} failed for ${failure?.decline_code}; the processor says ${state.decline_code}`)
  }
  const given_back = new Map(refunded.map(({ key, state }) => [key, state]))
  for (const refund of rows.refunds) {
    const { id, status, failure } = refund
    const state = given_back.get(keyOf(refund))
    if (status === 'failed' && state?.kind === 'refused' && failure?.code !== state.failure_code)
      report('M7', `${id} failed for ${failure?.code}; the processor says ${state.failure_code}`)
  }
}

/** M3, M44, M53: the outcome of every charge is known, and nothing is held or due. */
function checkRest({ rows, charges, now, unknown }: Moment, report: Report): void {
  const own = new Map(charges.map((charge) => [charge.key, charge]))
  for (const payment of rows.payments) {
    const charge = own.get(keyOf(payment))
    const captured = charge !== undefined && isCaptured(charge)
    const { id, status } = payment
    if (status === 'succeeded' && !captured) report('M3', `${id} succeeded and nothing was captured`)
    if (captured && status !== 'succeeded' && status !== 'returned')
      report('M3', `${id} was captured and is ${status}`)
    if (status === null) report('M53', `${id} is still an intent`)
    const waits = charge
      ? charge.state.kind === 'accepted' || charge.state.kind === 'undecided'
      : unknown?.has(keyOf(payment))
    if (status === 'processing' && !waits)
      report('M53', `${id} is processing; ${saidOf('charge', charge?.state)}`)
  }
  for (const key of rows.idempotency_keys) {
    if (key.lease_until !== null) report('M44', `${key.id} is still in flight`)
  }
  for (const method of rows.payment_methods) {
    const held_by = rows.payments.find(({ id }) => id === method.charging_payment)
    const held = method.charging_payment !== null && held_by?.status !== 'processing'
    if (held) report('M53', `${method.id} is still being charged`)
  }
  for (const [table, of] of Object.entries(rows)) {
    for (const row of of) {
      const due_at = 'due_at' in row ? row.due_at : null
      if (due_at !== null && due_at <= now) report('M53', `${table} ${row.id} is due since ${due_at}`)
    }
  }
}
