import { heldTwice, keyOf, type Moment, type Report } from './moment.ts'

/** M1, M4 to M7, M12: the processor holds only charges that were intended, each once, and failures have evidence. */
export function checkCharges({ rows, charges }: Moment, report: Report): void {
  const payments = new Map(rows.payments.map((payment) => [keyOf(payment), payment]))
  for (const [key, sharing] of Map.groupBy(rows.payments, keyOf))
    if (sharing.length > 1) report('M1', `${sharing.length} payments share the processor key ${key}`)
  // By the methods, which are there even if the payment of the only charge is not.
  const own = charges.filter(({ key }) =>
    rows.payment_methods.some(({ workspace }) => key.startsWith(`${workspace}.`)),
  )
  for (const held of heldTwice(own)) report('M1', `the processor charged more than once for ${held}`)

  const methods = new Map(rows.payment_methods.map((method) => [method.id, method]))
  for (const charge of own) {
    const mode = /\.[a-z]+_(test|live)_/.exec(charge.key)?.[1]
    const payment = payments.get(charge.key)
    if (!payment) {
      const here = rows.payment_methods.some(({ livemode }) => livemode === (mode === 'live'))
      if (here) report('M4', `${charge.key} was charged without a payment`)
      continue
    }
    if (payment.amount !== charge.amount || payment.currency !== charge.currency) {
      const asked = `${payment.amount} ${payment.currency}`
      report('M5', `${payment.id} was charged ${charge.amount} ${charge.currency}, not ${asked}`)
    }
    const authorized = methods.get(payment.payment_method)?.authorized_amount ?? null
    if (authorized !== null && authorized !== charge.amount) {
      report('M5', `${payment.id} was charged ${charge.amount}, authorized was ${authorized}`)
    }
  }

  const reached = new Set(own.map(({ key }) => key))
  for (const payment of rows.payments) {
    const listed = payment.status !== null && payment.source === 'api'
    if (payment.listed !== listed)
      report(
        'M6',
        `${payment.id} is ${payment.status}, of ${payment.source}, and listed is ${payment.listed}`,
      )
    if (payment.status === 'authorized') report('M6', `${payment.id} is authorized: every charge is a sale`)
    if (payment.status === 'returned' && payment.failure === null)
      report('M7', `${payment.id} was returned and does not say why`)
    if (payment.status !== 'failed') continue
    if (payment.evidence === null) report('M7', `${payment.id} failed without evidence`)
    if (payment.failure === null) report('M7', `${payment.id} failed and does not say why`)
    const never_sent = payment.failure?.code === 'processor_unreachable'
    if (never_sent && reached.has(keyOf(payment))) {
      report('M12', `${payment.id} "never reached the processor", which holds it`)
    }
  }
}
