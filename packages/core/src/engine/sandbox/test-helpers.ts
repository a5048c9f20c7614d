import { z } from 'zod'
import type { CheckoutSession } from '../../checkout-sessions/checkout-session.ts'
import { type DomainError, fail } from '../../errors/domain-error.ts'
import { type Caller, type TestHelperOperation, testHelper } from '../../kernel/operation.ts'
import { ok, type Result } from '../../kernel/result.ts'
import type { Payment } from '../../payments/payment.ts'
import type { Refund } from '../../refunds/refund.ts'
import { day_ms, iso, second_ms } from '../../schema/timestamps.ts'
import { type Api, type CallOptions, operationFunction } from '../api.ts'
import { execute } from '../request/execute.ts'
import type { Services } from '../services.ts'
import { advanceClock, type Worker } from './advance-clock.ts'
import {
  type PaymentStep,
  paymentSteps,
  type RefundStep,
  refundSteps,
  type TestHelperName,
} from './helper-names.ts'
import type { MovableClock } from './movable-clock.ts'
import { payByToken } from './pay-by-token.ts'
import { paymentHelper, refundHelper } from './payment-helpers.ts'

/** The sandbox's clock, as `GET /test-helpers/clock` returns it. */
interface SandboxTime {
  object: 'clock'
  now: string
}

/** A test helper. Its caller has a sandbox secret key, whatever its scopes; others are refused. */
export type TestHelper<Value> = (
  caller: Caller,
  input: object,
  options?: CallOptions,
) => Promise<Result<Value, DomainError>>

/** What can be made to happen in the sandbox. */
export interface TestHelpers {
  readClock: TestHelper<SandboxTime>
  /** Moves the clock by `{ seconds }`, runs all that falls due on the way in order, and resolves when nothing is left to do. */
  advanceClock: TestHelper<SandboxTime>
  /** Makes the step happen to `{ id }` at the processor and resolves to the payment after it. */
  payment: { [Step in PaymentStep]: TestHelper<Payment> }
  refund: { [Step in RefundStep]: TestHelper<Refund> }
  /** Pays `{ id }` on its hosted page with the card or account of `{ token }`, and resolves to the checkout session. */
  payCheckoutSession: TestHelper<CheckoutSession>
}

const none = z.strictObject({})
/** At most a year, which is longer than any schedule. */
const advance = z.strictObject({
  seconds: z
    .int()
    .min(0)
    .max((366 * day_ms) / second_ms),
})

/** Times are compared as texts, which holds while a year has four digits, and the clock never goes back. */
const farthest_ms = Date.UTC(9000, 0)

export function createTestHelpers(
  services: Services,
  { clock, workers, api }: { clock: MovableClock; workers: ReadonlySet<Worker>; api: Api },
): { testHelpers: TestHelpers; operations: ReadonlyMap<string, TestHelperOperation> } {
  // One after the other: two concurrent moves of the clock would have no order.
  let moving: Promise<unknown> = Promise.resolve()
  const readClock = (): SandboxTime => ({ object: 'clock', now: iso(clock.now()) })
  const operations = new Map<TestHelperName, TestHelperOperation>([
    ['test_helpers.read_clock', testHelper({ input: none, run: async () => ok(readClock()) })],
    [
      'test_helpers.advance_clock',
      testHelper({
        input: advance,
        async run(_caller, { seconds }) {
          if (clock.now() + seconds * second_ms > farthest_ms)
            return fail('parameter_invalid', {
              param: 'seconds',
              message: 'The clock stops before the year 9000.',
            })
          const moved = moving.then(() => advanceClock(services, { clock, workers, seconds }))
          moving = moved.catch(() => undefined)
          await moved
          return ok(readClock())
        },
      }),
    ],
    ...paymentSteps.map((name) => [`test_helpers.payment.${name}`, paymentHelper(services, name)] as const),
    ...refundSteps.map((name) => [`test_helpers.refund.${name}`, refundHelper(services, name)] as const),
    ['test_helpers.pay_checkout_session', payByToken(api)],
  ])
  const helper = <Value>(name: TestHelperName): TestHelper<Value> => {
    const call = operationFunction(services, name, (request) =>
      execute(services, request, operations.get(name)),
    )
    return async (caller, input, options) =>
      (await call(caller, input, options)) as Result<Value, DomainError>
  }
  const ofEach = <Name extends string>(names: readonly Name[], make: (name: Name) => TestHelper<unknown>) =>
    Object.fromEntries(names.map((name) => [name, make(name)]))
  const testHelpers = {
    readClock: helper('test_helpers.read_clock'),
    advanceClock: helper('test_helpers.advance_clock'),
    payment: ofEach(paymentSteps, (name) => helper(`test_helpers.payment.${name}`)),
    refund: ofEach(refundSteps, (name) => helper(`test_helpers.refund.${name}`)),
    payCheckoutSession: helper('test_helpers.pay_checkout_session'),
  } as TestHelpers
  return { testHelpers, operations }
}
