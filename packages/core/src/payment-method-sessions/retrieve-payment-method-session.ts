import { z } from 'zod'
import { fail } from '../errors/domain-error.ts'
import { query } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { browserSession, paymentMethodSession } from './payment-method-session.ts'
import { asOf } from './payment-method-session-machine.ts'

/** `GET /payment-method-sessions/{id}`: whole for a secret key; for the browser without the merchant's own records. */
export const retrievePaymentMethodSession = query({
  access: { key: 'secret or browser', scope: 'payment_methods:read' },
  input: byId,
  output: z.union([paymentMethodSession, browserSession]),
  errors: ['resource_missing'],
  async run({ rows, caller, now }, { id }) {
    const found = await rows.payment_method_sessions.get(id)
    if (!found) return fail('resource_missing')
    return ok(render(caller.key === 'publishable' ? browserSession : paymentMethodSession, asOf(found, now)))
  },
})
