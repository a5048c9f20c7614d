import { z } from 'zod'
import { delivery } from '../deliveries/delivery.ts'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/** Every event there is (specification: Events). */
export const eventType = z.enum([
  'payment.processing',
  'payment.authorized',
  'payment.succeeded',
  'payment.failed',
  'payment.canceled',
  'payment.returned',
  'refund.pending',
  'refund.succeeded',
  'refund.failed',
  'checkout_session.completed',
  'checkout_session.expired',
])
export type EventType = z.output<typeof eventType>

/** Something happened to a payment, a refund or a checkout session (specification: Event). */
export const event = z.object({
  object: z.literal('event'),
  id: z.string(),
  type: eventType,
  created_at: timestamp,
  livemode: z.boolean(),
  data: z.object({ object: z.looseObject({ object: z.string(), id: z.string() }) }),
})
export type Event = z.output<typeof event>

export const eventWithDeliveries = event.extend({ deliveries: z.array(delivery) })

/** `body` is the event's JSON, rendered once: every attempt and every resend sends these bytes. */
export const eventRow = event.pick({ id: true, type: true, created_at: true }).extend({
  ...scopedRow,
  subject: z.string(),
  body: z.string(),
})
export type EventRow = z.output<typeof eventRow>
