import { z } from 'zod'
import type { CheckoutSession } from '../checkout-sessions/checkout-session.ts'
import { type Delivery, delivery } from '../deliveries/delivery.ts'
import type { Payment } from '../payments/payment.ts'
import type { Refund } from '../refunds/refund.ts'
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

/** What events are about, by the first part of their type. */
interface Subjects {
  payment: Payment
  refund: Refund
  checkout_session: CheckoutSession
}

/** An event of one type: `data.object` is what it happened to, as it was when the event was filed. */
export interface EventOf<Type extends EventType> extends z.output<typeof anyEvent> {
  type: Type
  data: {
    object: Type extends `${infer Subject extends keyof Subjects}.${string}` ? Subjects[Subject] : never
  }
}

/** Something happened to a payment, a refund or a checkout session (specification: Event). */
export type Event = { [Type in EventType]: EventOf<Type> }[EventType]

/** Events are shown as they were filed, so an old one may lack fields that were added since. */
const anyEvent = z.object({
  object: z.literal('event'),
  id: z.string(),
  type: eventType,
  created_at: timestamp,
  livemode: z.boolean(),
  data: z.object({ object: z.looseObject({ object: z.string(), id: z.string() }) }),
})
export const event = anyEvent as z.ZodType as z.ZodType<Event>

export const eventWithDeliveries = anyEvent.extend({
  deliveries: z.array(delivery),
}) as z.ZodType as z.ZodType<Event & { deliveries: Delivery[] }>

/** `body` is the event's JSON, rendered once: every attempt and every resend sends these bytes. */
export const eventRow = anyEvent.pick({ id: true, type: true, created_at: true }).extend({
  ...scopedRow,
  subject: z.string(),
  body: z.string(),
})
export type EventRow = z.output<typeof eventRow>
