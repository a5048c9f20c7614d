import { z } from 'zod'
import { evidence } from '../schema/evidence.ts'
import { metadata } from '../schema/metadata.ts'
import { amount, currency, sum } from '../schema/money.ts'
import { statefulRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

const refundStatus = z.enum(['pending', 'succeeded', 'failed'])
export type RefundStatus = z.output<typeof refundStatus>

/** Why a refund failed. */
const refundFailure = z.object({ code: z.string(), message: z.string() })
export type RefundFailure = z.output<typeof refundFailure>

/** Money of a payment that is given back (specification: Refund). */
export const refund = z.object({
  object: z.literal('refund'),
  id: z.string(),
  payment: z.string(),
  status: refundStatus,
  amount,
  currency,
  reason: z.string().nullable(),
  metadata,
  failure: refundFailure.nullable(),
  livemode: z.boolean(),
  created_at: timestamp,
  succeeded_at: timestamp.nullable(),
  failed_at: timestamp.nullable(),
})
export type Refund = z.output<typeof refund>

export const refundRow = refund.omit({ object: true }).extend({
  ...statefulRow,
  /** Null for an intent: committed before the processor is asked, and not listed until an outcome is known. */
  status: refundStatus.nullable(),
  listed: z.boolean(),
  /** The payment while this refund is in flight, else null. Unique, so that a payment has only one in flight. */
  pending_of: z.string().nullable(),
  lookups: sum,
  evidence: evidence.nullable(),
})
export type RefundRow = z.output<typeof refundRow>
