import { fail } from '../errors/domain-error.ts'
import { command } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { paymentMethodSession } from './payment-method-session.ts'
import { asOf, decideSession } from './payment-method-session-machine.ts'

/** `POST /payment-method-sessions/{id}/cancel`: only for an open session. */
export const cancelPaymentMethodSession = command({
  access: { key: 'secret', scope: 'payment_methods:write' },
  refuses: 'payment details in the clear',
  input: byId,
  output: paymentMethodSession,
  errors: ['resource_missing', 'payment_method_session_inactive'],
  async run({ tx, now }, { id }) {
    const session = await tx.payment_method_sessions.lock(id)
    if (!session) return fail('resource_missing')
    const canceled = decideSession(asOf(session, now), 'cancel', now)
    if (canceled.isErr()) return canceled
    await tx.payment_method_sessions.update(canceled.value)
    return ok(render(paymentMethodSession, canceled.value))
  },
})
