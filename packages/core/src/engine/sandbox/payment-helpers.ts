import { z } from 'zod'
import { type DomainError, fail } from '../../errors/domain-error.ts'
import { testHelper } from '../../kernel/operation.ts'
import { render } from '../../kernel/render.ts'
import { ok, type Result } from '../../kernel/result.ts'
import { type PaymentRow, payment } from '../../payments/payment.ts'
import { processorKey } from '../../payments/processor-key.ts'
import { voidPayment } from '../../payments/void-payment.ts'
import { isSandboxProcessor, type SandboxControl } from '../../ports/sandbox.ts'
import type { Reads, Scope } from '../../ports/store.ts'
import { type RefundRow, refund } from '../../refunds/refund.ts'
import { byId } from '../../schema/ids.ts'
import { reconcile } from '../reconcile/reconcile.ts'
import { scopeOf } from '../request/request.ts'
import type { Services } from '../services.ts'
import { contextOf, unitsOf } from '../unit-of-work/unit-of-work.ts'
import type { PaymentStep, RefundStep } from './helper-names.ts'

const paymentInput = byId.extend({
  return_code: z
    .string()
    .regex(/^R\d\d$/)
    .default('R01'),
})

/** Makes a step happen to a payment and returns the payment after it; `conflict` if its state does not allow it. */
export function paymentHelper(services: Services, name: PaymentStep) {
  return testHelper({
    input: paymentInput,
    async run(caller, { id, return_code }) {
      const scope = scopeOf(caller)
      const load: Load<PaymentRow> = (rows) => rows.payments.get(id)
      const stepped =
        name === 'void'
          ? await voidPayment(unitsOf(services, scope), { id })
          : await makeHappen(services, { scope, load }, (control, key, at) =>
              name === 'return' ? control.returnCharge(key, return_code, at) : control[name](key, at),
            )
      return stepped.map((row) => render(payment, row))
    },
  })
}

/** Makes a step happen to a pending refund and returns the refund after it. */
export function refundHelper(services: Services, name: RefundStep) {
  return testHelper({
    input: byId,
    async run(caller, { id }) {
      const load: Load<RefundRow> = (rows) => rows.refunds.get(id)
      const stepped = await makeHappen(services, { scope: scopeOf(caller), load }, (control, key, at) =>
        name === 'succeed' ? control.succeedRefund(key, at) : control.failRefund(key, at),
      )
      return stepped.map((row) => render(refund, row))
    },
  })
}

type Load<Row> = (rows: Reads) => PromiseLike<Row | undefined>

/** Makes the sandbox's processor act on a row, reconciles, which applies its notification, and reads the row again. */
async function makeHappen<Row extends PaymentRow | RefundRow>(
  services: Services,
  { scope, load }: { scope: Scope; load: Load<Row> },
  act: (control: SandboxControl, key: string, at: string) => boolean,
): Promise<Result<Row, DomainError>> {
  const found = await services.store.read(scope, load)
  if (!found?.listed) return fail('resource_missing')
  const { processor, now } = contextOf(services, scope)
  if (!isSandboxProcessor(processor)) return fail('payment_provider_not_configured')
  if (!act(processor.control, processorKey(found), now)) return fail('conflict')
  await reconcile(services)
  const after = (await services.store.read(scope, load)) ?? found
  // A look-up had already moved the row there, which the processor does not know: for the caller the step did not apply.
  return after.status === found.status ? fail('conflict') : ok(after)
}
