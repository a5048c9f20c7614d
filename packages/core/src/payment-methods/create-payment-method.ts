import { z } from 'zod'
import { missing } from '../errors/domain-error.ts'
import { command } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { idParameter } from '../schema/ids.ts'
import { makePaymentMethod } from './make-payment-method.ts'
import { paymentMethod } from './payment-method.ts'

/** `POST /payment-methods`: makes the method from a confirmed session, without charging it. */
export const createPaymentMethod = command({
  access: { key: 'secret', scope: 'payment_methods:write' },
  refuses: 'payment details in the clear',
  input: z.strictObject({ payment_method_session: idParameter }),
  output: paymentMethod,
  errors: [
    'parameter_invalid',
    'resource_missing',
    'payment_method_session_inactive',
    'payment_method_session_used',
  ],
  async run(unit, input) {
    const session = await unit.tx.payment_method_sessions.lock(input.payment_method_session)
    if (!session) return missing('payment_method_session')
    return (await makePaymentMethod(unit, session)).map((method) => render(paymentMethod, method))
  },
})
