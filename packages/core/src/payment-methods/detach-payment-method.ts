import { fail } from '../errors/domain-error.ts'
import { command } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { err, ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { paymentMethod } from './payment-method.ts'
import { asOf, decidePaymentMethod } from './payment-method-machine.ts'

/**
 * `POST /payment-methods/{id}/detach`: removes a method from its customer. It can no longer be charged; a charge that is
 * already reserved goes on, and may reach the processor after this response. A one-time method that is being charged cannot be
 * detached.
 */
export const detachPaymentMethod = command({
  access: { key: 'secret', scope: 'payment_methods:write' },
  refuses: 'payment details in the clear',
  input: byId,
  output: paymentMethod,
  errors: ['resource_missing', 'payment_method_unusable'],
  async run({ tx, now }, { id }) {
    const found = await tx.payment_methods.lock(id)
    if (!found) return fail('resource_missing')
    if (found.charging_payment !== null) return fail('payment_method_unusable')
    const detached = decidePaymentMethod(asOf(found, now), 'detach', now)
    if (detached.isErr()) return err(detached.error)
    await tx.payment_methods.update(detached.value)
    return ok(render(paymentMethod, detached.value))
  },
})
