import { z } from 'zod'
import { type DomainError, fail } from '../errors/domain-error.ts'
import type { Caller } from '../kernel/operation.ts'
import { err, ok, type Result } from '../kernel/result.ts'
import { showPayment } from '../payments/move-payment.ts'
import type { Payment } from '../payments/payment.ts'
import { processorKey } from '../payments/processor-key.ts'
import { voidPayment } from '../payments/void-payment.ts'
import { isSandboxProcessor, type SandboxControl } from '../ports/sandbox.ts'
import { iso } from '../schema/timestamps.ts'
import { advanceClock, type Worker } from './advance-clock.ts'
import { parseInput } from './parameters.ts'
import { reconcile } from './reconcile.ts'
import { scopeOf } from './request.ts'
import type { MovableClock } from './sandbox-clock.ts'
import { circumstances, recoveryOf, type Services } from './services.ts'

/** The sandbox's clock, as `GET /test-helpers/clock` answers it. */
export interface SandboxTime {
  object: 'clock'
  now: string
}

type Answered<Value> = Promise<Result<Value, DomainError>>

/** What the test helpers can do. Every caller is a sandbox secret key's; any scope will do. */
export interface TestHelpers {
  readClock(caller: Caller, input: unknown): Answered<SandboxTime>
  /** Moves the clock by `{ seconds }`, runs all that falls due on the way in order, and answers when it is quiet. */
  advanceClock(caller: Caller, input: unknown): Answered<SandboxTime>
  /** Makes something happen to `{ id }` at the processor and answers the payment after the step. */
  payment: { [Step in PaymentStep]: (caller: Caller, input: unknown) => Answered<Payment> }
}

export const paymentSteps = ['settle', 'fail', 'return', 'chargeback', 'void'] as const
export type PaymentStep = (typeof paymentSteps)[number]

const none = z.strictObject({})
/** A year at most: what the schedule of every resource fits in. */
const advance = z.strictObject({ seconds: z.int().min(0).max(366 * 86_400) })
const step = z.strictObject({ id: z.string(), return_code: z.string().regex(/^R\d\d$/).optional() })

export function createTestHelpers(
  services: Services,
  { clock, workers }: { clock: MovableClock; workers: ReadonlySet<Worker> },
): TestHelpers {
  // One after the other: two clocks moving at once would have no order.
  let moving: Promise<unknown> = Promise.resolve()
  const readClock = (): SandboxTime => ({ object: 'clock', now: iso(clock.now()) })
  const steps = paymentSteps.map((name) => [
    name,
    (caller: Caller, input: unknown) => stepPayment(services, { caller, input, name }),
  ])
  return {
    async readClock(_caller, input) {
      return parseInput(none, input).map(readClock)
    },
    async advanceClock(_caller, input) {
      const parsed = parseInput(advance, input)
      if (parsed.isErr()) return err(parsed.error)
      const { seconds } = parsed.value
      const moved = moving.then(() => advanceClock(services, { clock, workers, seconds }))
      moving = moved.catch(() => undefined)
      await moved
      return ok(readClock())
    },
    payment: Object.fromEntries(steps) as TestHelpers['payment'],
  }
}

async function stepPayment(
  services: Services,
  { caller, input, name }: { caller: Caller; input: unknown; name: PaymentStep },
): Answered<Payment> {
  const parsed = parseInput(step, input)
  if (parsed.isErr()) return err(parsed.error)
  const { id, return_code = 'R01' } = parsed.value
  const scope = scopeOf(caller)
  const load = () => services.store.read(scope, (rows) => rows.payments.get(id))
  const found = await load()
  if (!found?.listed) return fail('resource_missing')
  const recovery = recoveryOf(services, scope)
  if (name === 'void') return (await voidPayment(recovery, id)).map(showPayment)
  const { processor, now } = circumstances(services, scope)
  if (!isSandboxProcessor(processor)) return fail('payment_provider_not_configured')
  const happened = makeHappen(processor.control, { name, key: processorKey(found), return_code, now })
  if (!happened) return fail('conflict')
  await reconcile(services)
  const after = await load()
  return after ? ok(showPayment(after)) : fail('resource_missing')
}

function makeHappen(
  control: SandboxControl,
  { name, key, return_code, now }: { name: PaymentStep; key: string; return_code: string; now: string },
): boolean {
  switch (name) {
    case 'settle':
      return control.settle(key, now)
    case 'fail':
      return control.fail(key, now)
    case 'return':
      return control.returnCharge(key, return_code, now)
    case 'chargeback':
      return control.chargeback(key, now)
    case 'void':
      return false
  }
}
