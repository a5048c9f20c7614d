import { paymentSteps } from '@quittance/core'
import fc from 'fast-check'
import {
  advanceClock,
  attempt,
  deleteEndpoint,
  failDeliveries,
  passTime,
  reconcile,
  registerEndpoint,
  resendEvent,
  updateEndpoint,
} from '../models/announcing.ts'
import {
  cancelSession,
  collect,
  confirmSession,
  createMethod,
  detachMethod,
  openSession,
} from '../models/collecting.ts'
import type { Command } from '../models/command.ts'
import { happens, payByMethod, payBySession } from '../models/paying.ts'

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

/** A token of any kind, of which most go through. */
export const anyToken = fc.oneof(
  fc.constantFrom('tok_test_visa', 'btok_test_success', 'tok_test_unknown_approved'),
  fc.constantFrom<string>(...cardTokens, ...bankTokens),
)

const minute_s = 60
const hour_s = 60 * minute_s
const day_s = 24 * hour_s

/** The moments at which something falls due, and the ones beside them: leases, batches, expiries, retries, pauses. */
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
/** Few amounts, so that a debit often equals what was authorized; both ends of what is allowed. */
const amount = fc.constantFrom(1000, 1000, 1000, 1, 99_999_999)
/** Mostly fresh, and often enough one that was used. */
const key = fc
  .oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 99_999 }))
  .map((number) => `key-${number}`)
const options = fc.record({ amount, saved: fc.boolean() })
const charge = fc.record({ drawn, amount, key })
const subscription = fc.constantFrom(['*'], ['payment.succeeded'], ['payment.failed', 'payment.returned'])

/** Every step a history can take; those that lead to money come more often. */
export const anyCommand: fc.Arbitrary<Command>[] = [
  ...often(
    4,
    fc.tuple(anyToken, options).map(([token, how]) => collect(token, how)),
  ),
  ...often(4, charge.map(payBySession)),
  ...often(2, charge.map(payByMethod)),
  ...often(
    2,
    fc.tuple(fc.constantFrom(...paymentSteps), drawn).map(([step, payment]) => happens(step, payment)),
  ),
  ...often(2, anySeconds.map(advanceClock)),
  fc.tuple(anyToken, options).map(([token, how]) => openSession(token, how)),
  fc.tuple(drawn, anyToken).map(([session, token]) => confirmSession(session, token)),
  drawn.map(createMethod),
  drawn.map(detachMethod),
  drawn.map(cancelSession),
  subscription.map(registerEndpoint),
  fc
    .tuple(drawn, fc.constantFrom('enabled' as const, 'disabled' as const))
    .map(([of, to]) => updateEndpoint(of, to)),
  drawn.map(deleteEndpoint),
  fc.constantFrom(null, 'http 503', 'timeout').map(attempt),
  fc.constant(undefined).map(failDeliveries),
  fc.tuple(drawn, drawn).map(([event, endpoint]) => resendEvent(event, endpoint)),
  anySeconds.map((seconds) => passTime(seconds * 1000)),
  fc.constantFrom(1, 999, 1_799_999).map(passTime),
  fc.constant(undefined).map(reconcile),
]

function often(times: number, step: fc.Arbitrary<Command>): fc.Arbitrary<Command>[] {
  return Array.from({ length: times }, () => step)
}
