import { z } from 'zod'
import { fail, missing } from '../errors/domain-error.ts'
import { command, type Unit } from '../kernel/operation.ts'
import { ok } from '../kernel/result.ts'
import { type PaymentMethodType, paymentMethodType, typesFor } from '../payment-methods/payment-method.ts'
import { idParameter } from '../schema/ids.ts'
import { metadata } from '../schema/metadata.ts'
import { amount, currencyParameter } from '../schema/money.ts'
import { descriptionText, emailAddress, referenceText } from '../schema/text.ts'
import { second_ms, shifted } from '../schema/timestamps.ts'
import { type CheckoutSessionRow, checkoutSession } from './checkout-session.ts'
import { faultInReturnUrl } from './return-url.ts'
import { showCheckoutSession } from './show-checkout-session.ts'

const returnUrl = z.string().min(1).max(2048)

const input = z
  .strictObject({
    amount,
    currency: currencyParameter,
    success_url: returnUrl,
    cancel_url: returnUrl,
    reference: referenceText.optional(),
    description: descriptionText.optional(),
    customer_email: emailAddress.optional(),
    customer: idParameter.optional(),
    payment_method_types: z.array(paymentMethodType).min(1).max(2).meta({ uniqueItems: true }).optional(),
    metadata: metadata.optional(),
    expires_in: z.int().min(1_800).max(86_400).default(86_400),
  })
  .superRefine(({ payment_method_types: types = [], currency }, context) => {
    const refuse = (message: string) =>
      context.addIssue({ code: 'custom', path: ['payment_method_types'], message })
    if (new Set(types).size < types.length) refuse('Each type is named once.')
    if (currency !== 'USD' && types.includes('us_bank_account')) refuse('A bank debit is made in USD.')
  })
type Input = z.output<typeof input>

/** `POST /checkout-sessions`: a hosted page at `url` that takes one payment. */
export const createCheckoutSession = command({
  access: { key: 'secret', scope: 'payments:write' },
  refuses: 'payment details in the clear',
  input,
  output: checkoutSession,
  errors: ['parameter_invalid', 'resource_missing', 'payment_provider_not_configured'],
  async run(unit, input) {
    for (const param of ['success_url', 'cancel_url'] as const) {
      const refused = faultInReturnUrl(input[param], unit.scope)
      if (refused !== null) return fail('parameter_invalid', { param, message: `The ${param} ${refused}.` })
    }
    if (input.customer !== undefined && !(await unit.tx.customers.get(input.customer)))
      return missing('customer')
    const supported = unit.processor?.types ?? []
    const types =
      input.payment_method_types ?? typesFor(input.currency).filter((type) => supported.includes(type))
    if (types.length === 0 || types.some((type) => !supported.includes(type))) {
      return fail('payment_provider_not_configured')
    }
    const session = newCheckoutSession(unit, input, types)
    await unit.tx.checkout_sessions.insert(session)
    return ok(showCheckoutSession(session, unit))
  },
})

function newCheckoutSession(
  { scope, ids, now }: Unit,
  input: Input,
  types: PaymentMethodType[],
): CheckoutSessionRow {
  const expires_at = shifted(now, input.expires_in * second_ms)
  return {
    ...scope,
    id: ids.prefixed('checkout_session', scope.livemode, Date.parse(now)),
    status: 'open',
    amount: input.amount,
    currency: input.currency,
    reference: input.reference ?? null,
    description: input.description ?? null,
    success_url: input.success_url,
    cancel_url: input.cancel_url,
    customer_email: input.customer_email ?? null,
    customer: input.customer ?? null,
    payment_method_types: types,
    metadata: input.metadata ?? {},
    payment: null,
    expires_at,
    completed_at: null,
    created_at: now,
    changed_at: now,
    due_at: expires_at,
    paying: null,
  }
}
