import { z } from 'zod'
import { paymentMethodType } from '../payment-methods/payment-method.ts'
import { evidence } from '../schema/evidence.ts'
import { metadata } from '../schema/metadata.ts'
import { amount, currency, sum } from '../schema/money.ts'
import { statefulRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/** `authorized` is defined and not expected: every charge on this API is a sale. */
export const paymentStatus = z.enum([
  'processing',
  'authorized',
  'succeeded',
  'failed',
  'canceled',
  'returned',
])
export type PaymentStatus = z.output<typeof paymentStatus>

/** Why a payment failed or was returned. */
const paymentFailure = z.object({
  code: z.string(),
  message: z.string(),
  decline_code: z.string().nullable(),
  return_code: z.string().nullable(),
})
export type PaymentFailure = z.output<typeof paymentFailure>

/** A charge of a payment method (specification: Payment). */
export const payment = z.object({
  object: z.literal('payment'),
  id: z.string(),
  status: paymentStatus,
  amount,
  amount_refunded: sum,
  currency,
  customer: z.string().nullable(),
  payment_method: z.string(),
  payment_method_type: paymentMethodType,
  checkout_session: z.string().nullable(),
  invoice: z.string().nullable(),
  reference: z.string().nullable(),
  description: z.string().nullable(),
  metadata,
  failure: paymentFailure.nullable(),
  livemode: z.boolean(),
  created_at: timestamp,
  succeeded_at: timestamp.nullable(),
  failed_at: timestamp.nullable(),
  canceled_at: timestamp.nullable(),
  returned_at: timestamp.nullable(),
})
export type Payment = z.output<typeof payment>

export const paymentRow = payment.omit({ object: true }).extend({
  ...statefulRow,
  /** Null for an intent: committed before the processor is asked, and not listed until an outcome is known. */
  status: paymentStatus.nullable(),
  listed: z.boolean(),
  /** `invoice_page`: money taken on an invoice's hosted page. Not an API payment: never listed, never announced. */
  source: z.enum(['api', 'invoice_page']),
  /** The part of `amount_refunded` that has succeeded. */
  refunds_succeeded: sum,
  /** How often the reconciler has asked the processor. */
  lookups: sum,
  evidence: evidence.nullable(),
})
export type PaymentRow = z.output<typeof paymentRow>
