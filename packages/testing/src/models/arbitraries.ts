import { paymentSteps, refundSteps } from '@quittance/core'
import fc from 'fast-check'
import type { Command } from './command.ts'
import { commands } from './commands.ts'
import { foreseenConfirm } from './tokens.ts'

export const cardTokens = [
  'tok_test_visa',
  'tok_test_mastercard',
  'tok_test_amex',
  'tok_test_declined',
  'tok_test_insufficient_funds',
  'tok_test_incorrect_cvc',
  'tok_test_expired',
  'tok_test_unreachable',
  'tok_test_unknown_approved',
  'tok_test_unknown_declined',
  'tok_test_unknown_forever',
  'tok_test_chargeback',
  'tok_test_refund_pending',
  'tok_test_refund_fails',
  'tok_test_refund_refused',
] as const

export const bankTokens = [
  'btok_test_success',
  'btok_test_account_closed',
  'btok_test_insufficient_funds',
  'btok_test_late_return',
  'btok_test_refused',
  'btok_test_verification_fails',
  'btok_test_never_settles',
] as const

/** A token of any kind; most succeed. */
export const anyToken = fc.oneof(
  fc.constantFrom(
    'tok_test_visa',
    'btok_test_success',
    'tok_test_unknown_approved',
    'tok_test_refund_pending',
  ),
  fc.constantFrom<string>(...cardTokens, ...bankTokens),
)

const minute_s = 60
const hour_s = 60 * minute_s
const day_s = 24 * hour_s

/** The moments at which something falls due, and those just before and after: leases, batches, expiries, retries, pauses. */
export const anySeconds = fc.oneof(
  fc.constantFrom(
    0,
    1,
    29,
    30,
    31,
    59,
    60,
    61,
    5 * minute_s,
    30 * minute_s - 1,
    30 * minute_s,
    30 * minute_s + 1,
  ),
  fc.constantFrom(hour_s, 2 * hour_s, 6 * hour_s, 12 * hour_s, day_s, 2 * day_s, 3 * day_s, 3 * day_s + 1),
  fc.integer({ min: 0, max: 2 * hour_s }),
)

const drawn = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.nat({ max: 40 }) },
)
/** Few amounts, so that a debit often equals what was authorized, and both ends of the allowed range. */
const amount = fc.constantFrom(1000, 1000, 1000, 1, 99_999_999)
/** Mostly fresh, and sometimes one that was used. */
const key = fc
  .oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 99_999 }))
  .map((number) => `key-${number}`)
const options = fc.record({ amount, saved: fc.boolean() })
const charge = fc.record({ drawn, amount, key })
const subscription = fc.constantFrom(['*'], ['payment.succeeded'], ['payment.failed', 'payment.returned'])

/** A token that a confirm accepts. */
const payable = fc.oneof(
  fc.constantFrom<string>(
    'tok_test_visa',
    'tok_test_refund_pending',
    'tok_test_refund_fails',
    'tok_test_unknown_approved',
    'btok_test_success',
  ),
  fc.constantFrom<string>(
    ...[...cardTokens, ...bankTokens].filter((token) => foreseenConfirm(token) === null),
  ),
)
/** A part of 10.00, all of it, or a cent too much. */
const part = fc.constantFrom(1, 250, 250, 600, 1000, 1001)
const partOrAll = fc.option(part, { nil: undefined, freq: 3 })

/** Payment method sessions and payment methods. */
export const collecting: fc.Arbitrary<Command>[] = [
  ...often(
    4,
    fc.tuple(anyToken, options).map(([token, how]) => commands.collect(token, how)),
  ),
  fc.tuple(anyToken, options).map(([token, how]) => commands.openSession(token, how)),
  fc.tuple(drawn, anyToken).map(([session, token]) => commands.confirmSession(session, token)),
  drawn.map(commands.createMethod),
  drawn.map(commands.detachMethod),
  drawn.map(commands.cancelSession),
]

/** Payments through the API, and what happens to them at the processor. */
export const charging: fc.Arbitrary<Command>[] = [
  ...often(3, fc.record({ token: payable, amount, key }).map(commands.pay)),
  ...often(4, charge.map(commands.payBySession)),
  ...often(2, charge.map(commands.payByMethod)),
  ...often(
    5,
    fc
      .tuple(fc.constantFrom(...paymentSteps), drawn)
      .map(([step, payment]) => commands.happens(step, payment)),
  ),
]

export const refunding: fc.Arbitrary<Command>[] = [
  ...often(6, fc.record({ drawn, amount: partOrAll, key }).map(commands.refundPayment)),
  ...often(
    2,
    fc
      .tuple(fc.constantFrom(...refundSteps), drawn)
      .map(([step, refund]) => commands.decideRefund(step, refund)),
  ),
]

/** Checkout sessions, and the payments on their pages. */
export const checkingOut: fc.Arbitrary<Command>[] = [
  fc
    .tuple(fc.constantFrom(1000, 1), fc.constantFrom(30 * minute_s, day_s))
    .map(([total, expires_in]) => commands.openPage(total, expires_in)),
  ...often(
    2,
    fc.tuple(drawn, payable).map(([page, token]) => commands.payPage(page, token)),
  ),
  drawn.map(commands.expireCheckout),
]

/** Invoices, and the payments on them. */
export const invoicing: fc.Arbitrary<Command>[] = [
  fc.constantFrom(1000, 600).map(commands.draftInvoice),
  ...often(2, fc.constantFrom(1000, 600).map(commands.sendNewInvoice)),
  ...often(
    2,
    fc
      .tuple(fc.constantFrom('schedule', 'send', 'revokeLinks', 'cancel'), drawn)
      .map(([action, invoice]) => commands.changeInvoice(action, invoice)),
  ),
  fc.tuple(drawn, partOrAll).map(([invoice, amount]) => commands.writeOff(invoice, amount)),
  ...often(2, fc.record({ drawn, token: payable, amount: partOrAll, key }).map(commands.payInvoice)),
  fc.tuple(drawn, payable).map(([invoice, token]) => commands.payInvoiceOnPage(invoice, token)),
]

/** Webhook endpoints and the deliveries to them. */
export const announcing: fc.Arbitrary<Command>[] = [
  subscription.map(commands.registerEndpoint),
  fc
    .tuple(drawn, fc.constantFrom('enabled' as const, 'disabled' as const))
    .map(([of, to]) => commands.updateEndpoint(of, to)),
  drawn.map(commands.deleteEndpoint),
  ...often(2, fc.constantFrom(null, null, 'http 503', 'timeout').map(commands.attempt)),
  fc.constant(undefined).map(commands.failDeliveries),
  fc.tuple(drawn, drawn).map(([event, endpoint]) => commands.resendEvent(event, endpoint)),
]

/** Time, and the reconciler. */
export const passing: fc.Arbitrary<Command>[] = [
  ...often(2, anySeconds.map(commands.advanceClock)),
  anySeconds.map((seconds) => commands.passTime(seconds * 1000)),
  fc.constantFrom(1, 999, 1_799_999).map(commands.passTime),
  fc.constant(undefined).map(commands.reconcile),
]

/** Every step a history can take; those that lead to money come more often. */
export const anyCommand: fc.Arbitrary<Command>[] = [
  ...collecting,
  ...charging,
  ...refunding,
  ...checkingOut,
  ...invoicing,
  ...announcing,
  ...passing,
]

/** The same step several times: `fc.commands` draws each entry equally often, so it takes this one more often. */
export function often(times: number, step: fc.Arbitrary<Command>): fc.Arbitrary<Command>[] {
  return Array.from({ length: times }, () => step)
}
