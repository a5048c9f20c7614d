import { z } from 'zod'
import { paymentMethodType } from '../payment-methods/payment-method.ts'
import { metadata } from '../schema/metadata.ts'
import { amount, currency } from '../schema/money.ts'
import { statefulRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

const checkoutStatus = z.enum(['open', 'complete', 'expired'])
export type CheckoutStatus = z.output<typeof checkoutStatus>

/** A hosted page that takes one payment (specification: Checkout session). */
export const checkoutSession = z.object({
  object: z.literal('checkout_session'),
  id: z.string(),
  status: checkoutStatus,
  amount,
  currency,
  reference: z.string().nullable(),
  description: z.string().nullable(),
  success_url: z.string(),
  cancel_url: z.string(),
  customer_email: z.string().nullable(),
  customer: z.string().nullable(),
  payment_method_types: z.array(paymentMethodType),
  metadata,
  payment: z.string().nullable(),
  url: z.string().nullable(),
  livemode: z.boolean(),
  expires_at: timestamp,
  completed_at: timestamp.nullable(),
  created_at: timestamp,
})
export type CheckoutSession = z.output<typeof checkoutSession>

export const checkoutSessionRow = checkoutSession.omit({ object: true, url: true }).extend({
  ...statefulRow,
  /** The payment in flight on the page, at most one. Until it ends, the page neither expires nor takes another. */
  paying: z.string().nullable(),
})
export type CheckoutSessionRow = z.output<typeof checkoutSessionRow>
