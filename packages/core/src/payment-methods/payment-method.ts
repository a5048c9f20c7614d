import { z } from 'zod'
import type { Currency } from '../schema/money.ts'
import { statefulRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

export const paymentMethodType = z.enum(['card', 'us_bank_account'])
export type PaymentMethodType = z.output<typeof paymentMethodType>

/** The types that can be charged in a currency: a bank debit is USD only. */
export function typesFor(currency: Currency): readonly PaymentMethodType[] {
  return currency === 'USD' ? paymentMethodType.options : ['card']
}

/** What may be shown of a card. */
export const card = z.object({
  brand: z.string(),
  last4: z.string(),
  /** From 1 to 12. */
  exp_month: z.int(),
  /** Four digits. */
  exp_year: z.int(),
  funding: z.string(),
})
export type CardDetails = z.output<typeof card>

/** What may be shown of a bank account. */
export const usBankAccount = z.object({
  bank_name: z.string(),
  routing_number: z.string(),
  last4: z.string(),
  account_type: z.string(),
  account_holder_type: z.string(),
})
export type BankAccountDetails = z.output<typeof usBankAccount>

export const billingDetails = z.object({ name: z.string(), postal_code: z.string() })

const paymentMethodStatus = z.enum(['active', 'consumed', 'expired', 'detached'])
export type PaymentMethodStatus = z.output<typeof paymentMethodStatus>

/** A card or account that can be charged (specification: Payment method). */
export const paymentMethod = z.object({
  object: z.literal('payment_method'),
  id: z.string(),
  type: paymentMethodType,
  usage: z.enum(['saved', 'one_time']),
  status: paymentMethodStatus,
  customer: z.string().nullable(),
  session: z.string(),
  card: card.nullable(),
  us_bank_account: usBankAccount.nullable(),
  billing_details: billingDetails,
  livemode: z.boolean(),
  expires_at: timestamp.nullable(),
  created_at: timestamp,
})
export type PaymentMethod = z.output<typeof paymentMethod>

export const paymentMethodRow = paymentMethod.omit({ object: true }).extend({
  ...statefulRow,
  /** The processor's name for the card or account. */
  token: z.string(),
  /** What a one-time bank debit was authorized for; null otherwise. */
  authorized_amount: z.int().nullable(),
  /** The terms version the account holder accepted; null on a card. */
  terms_version: z.string().nullable(),
  /** The payment that is charging this one-time method now; no other can meanwhile. */
  charging_payment: z.string().nullable(),
})
export type PaymentMethodRow = z.output<typeof paymentMethodRow>
