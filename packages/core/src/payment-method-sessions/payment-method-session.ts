import { z } from 'zod'
import { billingDetails, card, paymentMethodType, usBankAccount } from '../payment-methods/payment-method.ts'
import { statefulRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

const sessionStatus = z.enum(['requires_payment_method', 'succeeded', 'canceled', 'expired'])
export type SessionStatus = z.output<typeof sessionStatus>

/** The text a bank account's holder is shown, and when, where and how they accepted it. */
const achAuthorization = z.object({
  terms_version: z.string(),
  text: z.string(),
  type: z.enum(['one_time', 'standing']),
  amount: z.int().nullable(),
  currency: z.string().nullable(),
  accepted_at: timestamp.nullable(),
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
})
export type AchAuthorization = z.output<typeof achAuthorization>

/** A short-lived context in which a browser collects a card or account (specification: Payment method session). */
export const paymentMethodSession = z.object({
  object: z.literal('payment_method_session'),
  id: z.string(),
  status: sessionStatus,
  customer: z.string().nullable(),
  payment_method_types: z.array(paymentMethodType),
  amount: z.int().nullable(),
  currency: z.string().nullable(),
  livemode: z.boolean(),
  expires_at: timestamp,
  canceled_at: timestamp.nullable(),
  succeeded_at: timestamp.nullable(),
  card: card.nullable(),
  us_bank_account: usBankAccount.nullable(),
  ach_authorization: achAuthorization.nullable(),
  payment_method: z.string().nullable(),
  created_at: timestamp,
})
export type PaymentMethodSession = z.output<typeof paymentMethodSession>

/** The response to the create call, the only one that shows the secret. */
export const createdSession = paymentMethodSession.extend({ client_secret: z.string() })

/** What the browser sees: the session without the merchant's own records. */
export const browserSession = paymentMethodSession.omit({ customer: true, payment_method: true })

export const paymentMethodSessionRow = paymentMethodSession.omit({ object: true }).extend({
  ...statefulRow,
  /** The token that the browser confirmed with. */
  token: z.string().nullable(),
  billing_details: billingDetails.nullable(),
})
export type PaymentMethodSessionRow = z.output<typeof paymentMethodSessionRow>
