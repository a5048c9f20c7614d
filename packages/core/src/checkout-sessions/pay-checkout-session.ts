import { fail, missing } from '../errors/domain-error.ts'
import { remote } from '../kernel/operation.ts'
import { err } from '../kernel/result.ts'
import { makePaymentMethod } from '../payment-methods/make-payment-method.ts'
import { charge_errors, charging, reserveCharge } from '../payments/charge.ts'
import { payment } from '../payments/payment.ts'
import { byId, idParameter } from '../schema/ids.ts'

/**
 * The hosted page takes its payment with a confirmed payment method session. At most one payment is in flight;
 * the unit of work that learns its outcome completes the page or reopens it.
 */
export const payCheckoutSession = remote({
  access: { key: 'page' },
  idempotency_key: 'optional',
  input: byId.extend({ payment_method_session: idParameter }),
  output: payment,
  errors: [...charge_errors, 'checkout_session_payment_in_flight', 'conflict'],

  async reserve(unit, { id, payment_method_session }) {
    // The payment method session is locked before the page: recording a payment locks the page last, too.
    const collected = await unit.tx.payment_method_sessions.lock(payment_method_session)
    const page = await unit.tx.checkout_sessions.lock(id)
    if (!page) return fail('resource_missing')
    if (!collected) return missing('payment_method_session')
    if (page.paying !== null) return fail('checkout_session_payment_in_flight')
    if (page.status !== 'open' || unit.now >= page.expires_at) return fail('conflict')
    if (!collected.payment_method_types.every((type) => page.payment_method_types.includes(type))) {
      return fail('parameter_invalid', { param: 'payment_method_session' })
    }
    const method = await makePaymentMethod(unit, collected)
    if (method.isErr()) return err(method.error)
    const { amount, currency, customer, reference, description, metadata } = page
    const terms = { amount, currency, customer, reference, description, metadata }
    const intent = await reserveCharge(unit, method.value, { ...terms, source: 'api', checkout_session: id })
    if (intent.isErr()) return err(intent.error)
    await unit.tx.checkout_sessions.update({ ...page, paying: intent.value.id, due_at: null })
    return intent
  },

  ...charging,
})
