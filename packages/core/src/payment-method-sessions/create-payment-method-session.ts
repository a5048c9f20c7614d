import { z } from 'zod'
import { fail, missing } from '../errors/domain-error.ts'
import { command, type Unit } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { paymentMethodType } from '../payment-methods/payment-method.ts'
import { idParameter } from '../schema/ids.ts'
import { amount } from '../schema/money.ts'
import { shifted } from '../schema/timestamps.ts'
import { ach_terms, current_ach_terms_version } from './ach-terms.ts'
import {
  type AchAuthorization,
  createdSession,
  type PaymentMethodSessionRow,
} from './payment-method-session.ts'
import { session_lifetime_ms } from './payment-method-session-machine.ts'

const input = z
  .strictObject({
    customer: idParameter.optional(),
    payment_method_types: z.tuple([paymentMethodType], 'A list of exactly one type.').default(['card']),
    amount: amount.optional(),
    currency: z.enum(['USD', 'usd']).optional(),
  })
  .superRefine(({ customer, payment_method_types, amount, currency }, context) => {
    const one_time_debit = payment_method_types[0] === 'us_bank_account' && customer === undefined
    const refuse = (param: string, message: string) =>
      context.addIssue({ code: 'custom', path: [param], message })
    if (one_time_debit && amount === undefined) refuse('amount', 'A one-time bank debit names its amount.')
    if (!one_time_debit && amount !== undefined)
      refuse('amount', 'Only a one-time bank debit names an amount.')
    if (amount === undefined && currency !== undefined) refuse('currency', 'A currency goes with an amount.')
  })

type Input = z.output<typeof input>

/** `POST /payment-method-sessions`: open for 30 minutes. Only this response shows `client_secret`. */
export const createPaymentMethodSession = command({
  access: { key: 'secret', scope: 'payment_methods:write' },
  refuses: 'payment details in the clear',
  input,
  output: createdSession,
  errors: ['parameter_invalid', 'resource_missing', 'payment_provider_not_configured'],
  async run(unit, input) {
    const { tx, processor, secrets } = unit
    const [type] = input.payment_method_types
    if (input.customer !== undefined && !(await tx.customers.get(input.customer))) return missing('customer')
    if (!processor?.types.includes(type)) return fail('payment_provider_not_configured')
    const session = newSession(unit, input)
    await tx.payment_method_sessions.insert(session)
    return ok(render(createdSession, { ...session, client_secret: secrets.clientSecret(session.id) }))
  },
})

function newSession({ scope, ids, now }: Unit, input: Input): PaymentMethodSessionRow {
  const expires_at = shifted(now, session_lifetime_ms)
  const bank = input.payment_method_types[0] === 'us_bank_account'
  const amount = input.amount ?? null
  return {
    ...scope,
    id: ids.prefixed('payment_method_session', scope.livemode, Date.parse(now)),
    status: 'requires_payment_method',
    customer: input.customer ?? null,
    payment_method_types: input.payment_method_types,
    amount,
    currency: amount === null ? null : 'USD',
    expires_at,
    canceled_at: null,
    succeeded_at: null,
    card: null,
    us_bank_account: null,
    ach_authorization: bank ? unacceptedAuthorization(amount) : null,
    payment_method: null,
    created_at: now,
    changed_at: now,
    due_at: expires_at,
    token: null,
    billing_details: null,
  }
}

function unacceptedAuthorization(amount: number | null): AchAuthorization {
  const terms_version = current_ach_terms_version
  return {
    terms_version,
    text: ach_terms[terms_version]({ amount }),
    type: amount === null ? 'standing' : 'one_time',
    amount,
    currency: amount === null ? null : 'USD',
    accepted_at: null,
    ip_address: null,
    user_agent: null,
  }
}
