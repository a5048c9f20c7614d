import { z } from 'zod'
import { type DomainError, fail } from '../errors/domain-error.ts'
import type { Caller } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { err, ok, type Result } from '../kernel/result.ts'
import { type Payment, payment } from '../payments/payment.ts'
import { processorKey } from '../payments/processor-key.ts'
import { voidPayment } from '../payments/void-payment.ts'
import { isSandboxProcessor, type SandboxControl } from '../ports/sandbox.ts'
import { type Refund, refund } from '../refunds/refund.ts'
import { parseInput } from './parameters.ts'
import { reconcile } from './reconcile.ts'
import { scopeOf } from './request.ts'
import { circumstances, type Services, unitsOf } from './services.ts'

export const paymentSteps = ['settle', 'fail', 'return', 'chargeback', 'void'] as const
export type PaymentStep = (typeof paymentSteps)[number]

export const refundSteps = ['succeed', 'fail'] as const
export type RefundStep = (typeof refundSteps)[number]

const paymentInput = z.strictObject({
  id: z.string(),
  return_code: z
    .string()
    .regex(/^R\d\d$/)
    .default('R01'),
})
const refundInput = z.strictObject({ id: z.string() })

interface StepRequest<Step> {
  caller: Caller
  input: unknown
  step: Step
}

/** Makes a step happen to a payment and answers the payment after it; `conflict` if its state does not allow it. */
export async function stepPayment(
  services: Services,
  { caller, input, step }: StepRequest<PaymentStep>,
): Promise<Result<Payment, DomainError>> {
  const parsed = parseInput(paymentInput, input)
  if (parsed.isErr()) return err(parsed.error)
  const { id, return_code } = parsed.value
  const scope = scopeOf(caller)
  const load = () => services.store.read(scope, (rows) => rows.payments.get(id))
  const found = await load()
  if (!found?.listed) return fail('resource_missing')
  if (step === 'void') {
    const voided = await voidPayment(unitsOf(services, scope), { id })
    return voided.map((row) => render(payment, row))
  }
  const key = processorKey(found)
  const happened = await makeHappen(services, caller, (control, at) => {
    switch (step) {
      case 'settle':
        return control.settle(key, at)
      case 'fail':
        return control.fail(key, at)
      case 'return':
        return control.returnCharge(key, return_code, at)
      case 'chargeback':
        return control.chargeback(key, at)
    }
  })
  if (happened.isErr()) return err(happened.error)
  const after = await load()
  return after ? ok(render(payment, after)) : fail('resource_missing')
}

/** Makes a step happen to a pending refund and answers the refund after it. */
export async function stepRefund(
  services: Services,
  { caller, input, step }: StepRequest<RefundStep>,
): Promise<Result<Refund, DomainError>> {
  const parsed = parseInput(refundInput, input)
  if (parsed.isErr()) return err(parsed.error)
  const { id } = parsed.value
  const load = () => services.store.read(scopeOf(caller), (rows) => rows.refunds.get(id))
  const found = await load()
  if (!found?.listed) return fail('resource_missing')
  const key = processorKey(found)
  const happened = await makeHappen(services, caller, (control, at) =>
    step === 'succeed' ? control.succeedRefund(key, at) : control.failRefund(key, at),
  )
  if (happened.isErr()) return err(happened.error)
  const after = await load()
  return after ? ok(render(refund, after)) : fail('resource_missing')
}

/** Has the sandbox's processor do something, and reconciles, which applies its notification. */
async function makeHappen(
  services: Services,
  caller: Caller,
  act: (control: SandboxControl, at: string) => boolean,
): Promise<Result<null, DomainError>> {
  const { processor, now } = circumstances(services, scopeOf(caller))
  if (!isSandboxProcessor(processor)) return fail('payment_provider_not_configured')
  if (!act(processor.control, now)) return fail('conflict')
  await reconcile(services)
  return ok(null)
}
