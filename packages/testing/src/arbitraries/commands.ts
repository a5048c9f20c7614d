import { paymentSteps } from '@quittance/core'
import fc from 'fast-check'
import {
  advanceClock,
  attempt,
  deleteEndpoint,
  passTime,
  reconcile,
  registerEndpoint,
  resendEvent,
  updateEndpoint,
} from '../models/announcing.ts'
import {
  cancelSession,
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

const drawn = fc.nat({ max: 40 })
/** Few amounts, so that a debit often equals what was authorized; both ends of what is allowed. */
const amount = fc.constantFrom(1000, 1000, 1000, 1, 99_999_999)
const key = fc.integer({ min: 0, max: 30 }).map((number) => `key-${number}`)
const charge = fc.record({ drawn, amount, key })
const subscription = fc.constantFrom(['*'], ['payment.succeeded'], ['payment.failed', 'payment.returned'])

/** Every step a history can take, those that lead to money more often. */
export const anyCommand: fc.Arbitrary<Command>[] = [
  fc
    .tuple(anyToken, amount, fc.boolean())
    .map(([token, of, saved]) => openSession(token, { amount: of, saved })),
  fc.tuple(drawn, anyToken).map(([session, token]) => confirmSession(session, token)),
  fc.tuple(drawn, anyToken).map(([session, token]) => confirmSession(session, token)),
  charge.map(payBySession),
  charge.map(payBySession),
  charge.map(payByMethod),
  drawn.map(createMethod),
  drawn.map(detachMethod),
  drawn.map(cancelSession),
  fc.tuple(fc.constantFrom(...paymentSteps), drawn).map(([step, payment]) => happens(step, payment)),
  subscription.map(registerEndpoint),
  fc
    .tuple(drawn, fc.constantFrom('enabled' as const, 'disabled' as const))
    .map(([of, to]) => updateEndpoint(of, to)),
  drawn.map(deleteEndpoint),
  fc.constantFrom(null, 'http 503', 'timeout').map(attempt),
  fc.tuple(drawn, drawn).map(([event, endpoint]) => resendEvent(event, endpoint)),
  anySeconds.map((seconds) => passTime(seconds * 1000)),
  fc.constantFrom(1, 999, 1_799_999).map(passTime),
  anySeconds.map(advanceClock),
  fc.constant(undefined).map(reconcile),
]
