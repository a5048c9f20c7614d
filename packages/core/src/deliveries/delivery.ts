import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

export const deliveryStatus = z.enum(['pending', 'succeeded', 'exhausted', 'canceled'])
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
  /** Equal to `event` on an emit, null on a resend: unique with `endpoint`, so an event is emitted to it once. */
  emit_of: z.string().nullable(),
  /** Equal to `event` while pending, else null: unique with `endpoint`, so one delivery of it is under way at most. */
  pending_of: z.string().nullable(),
  /** The fencing token: who records an attempt must name the lease it was made under. */
  lease: z.int(),
  lease_until: timestamp.nullable(),
  /** Its endpoint was disabled or deleted while an attempt was under way: that one is its last. */
  stopped: z.boolean(),
})
export type DeliveryRow = z.output<typeof deliveryRow>
