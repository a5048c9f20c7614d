import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

const deliveryStatus = z.enum(['pending', 'succeeded', 'exhausted', 'canceled'])
export type DeliveryStatus = z.output<typeof deliveryStatus>

/** One event on its way to one endpoint (specification: Event, `deliveries`). */
export const delivery = z.object({
  endpoint: z.string(),
  origin: z.enum(['emit', 'resend']),
  status: deliveryStatus,
  attempt_count: z.int(),
  created_at: timestamp,
  last_attempt_at: timestamp.nullable(),
  next_attempt_at: timestamp.nullable(),
  last_response_status: z.int().nullable(),
  last_error: z.string().nullable(),
})
export type Delivery = z.output<typeof delivery>

export const deliveryRow = delivery.extend({
  ...scopedRow,
  id: z.uuid(),
  event: z.string(),
  /** `event` on an emit, null on a resend. Unique with `endpoint`, so that each event is emitted to it once. */
  emit_of: z.string().nullable(),
  /** `event` while pending, else null. Unique with `endpoint`: at most one delivery of an event to it is pending. */
  pending_of: z.string().nullable(),
  /** The fencing token: an attempt is recorded only with the lease it was made under. */
  lease: z.int(),
  lease_until: timestamp.nullable(),
  /** The endpoint was disabled or deleted while an attempt was in flight, which makes that attempt the last. */
  stopped: z.boolean(),
})
export type DeliveryRow = z.output<typeof deliveryRow>
