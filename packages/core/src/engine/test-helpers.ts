import { z } from 'zod'
import type { CheckoutSession } from '../checkout-sessions/checkout-session.ts'
import { type DomainError, fail } from '../errors/domain-error.ts'
import type { Caller } from '../kernel/operation.ts'
import { err, ok, type Result } from '../kernel/result.ts'
import type { Payment } from '../payments/payment.ts'
import type { Refund } from '../refunds/refund.ts'
import { day_ms, iso, second_ms } from '../schema/timestamps.ts'
import { advanceClock, type Worker } from './advance-clock.ts'
import type { Api } from './api.ts'
import { parseInput } from './parameters.ts'
import { payByToken } from './pay-by-token.ts'
import type { MovableClock } from './sandbox-clock.ts'
import {
  type PaymentStep,
  paymentSteps,
  type RefundStep,
  refundSteps,
  stepPayment,
  stepRefund,
} from './sandbox-steps.ts'
import type { Services } from './services.ts'

/** The sandbox's clock, as `GET /test-helpers/clock` answers it. */
export interface SandboxTime {
  object: 'clock'
  now: string
}

/** A test helper. Its caller has a sandbox secret key, with any scope; others are refused. */
export type TestHelper<Value> = (caller: Caller, input: unknown) => Promise<Result<Value, DomainError>>

/** What can be made to happen in the sandbox. */
export interface TestHelpers {
  readClock: TestHelper<SandboxTime>
  /** Moves the clock by `{ seconds }`, runs all that falls due on the way in order, and answers when it is quiet. */
  advanceClock: TestHelper<SandboxTime>
  /** Makes the step happen to `{ id }` at the processor and answers the payment after it. */
  payment: { [Step in PaymentStep]: TestHelper<Payment> }
  refund: { [Step in RefundStep]: TestHelper<Refund> }
  /** Pays `{ id }` on its hosted page with the card or account of `{ token }`, and answers the checkout session. */
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

export function createTestHelpers(
  services: Services,
  { clock, workers, api }: { clock: MovableClock; workers: ReadonlySet<Worker>; api: Api },
): TestHelpers {
  // One after the other: two concurrent moves of the clock would have no order.
  let moving: Promise<unknown> = Promise.resolve()
  const readClock = (): SandboxTime => ({ object: 'clock', now: iso(clock.now()) })
  const helperPer = <Step extends string, Value>(
    steps: readonly Step[],
    make: (step: Step) => TestHelper<Value>,
  ) =>
    Object.fromEntries(steps.map((step) => [step, inSandbox(make(step))])) as {
      [Name in Step]: TestHelper<Value>
    }
  return {
    readClock: inSandbox(async (_caller, input) => parseInput(none, input).map(readClock)),
    advanceClock: inSandbox(async (_caller, input) => {
      const parsed = parseInput(advance, input)
      if (parsed.isErr()) return err(parsed.error)
      const { seconds } = parsed.value
      const moved = moving.then(() => advanceClock(services, { clock, workers, seconds }))
      moving = moved.catch(() => undefined)
      await moved
      return ok(readClock())
    }),
    payment: helperPer(paymentSteps, (step) => stepPayment(services, step)),
    refund: helperPer(refundSteps, (step) => stepRefund(services, step)),
    payCheckoutSession: inSandbox((caller, input) => payByToken(api, caller, input)),
  }
}

/** In the live environment there are none. */
function inSandbox<Value>(help: TestHelper<Value>): TestHelper<Value> {
  return async (caller, input) => {
    if (caller.key !== 'secret') return fail('publishable_key_not_allowed')
    return caller.livemode ? fail('resource_missing') : help(caller, input)
  }
}
