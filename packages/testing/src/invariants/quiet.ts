import { isCaptured, keyOf, type Moment, type Report, saidOf } from './moment.ts'

/** M3, M44, M53: at rest every cent the processor holds is ours to name, and nothing waits. */
export function checkQuiet({ rows, charges, now, unknown }: Moment, report: Report): void {
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
