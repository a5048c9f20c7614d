import { createIds, type Event, type EventType, iso } from '@quittance/core'

/** The events on which a receiver may do its work. */
export type ActedOn = 'payment.succeeded' | 'checkout_session.completed' | 'refund.succeeded'

/** What a story is about: the object of its events, its payment, and the merchant's own reference. */
export interface Subject {
  id: string
  payment: string
  reference: string
}

/** What happens to one object, event by event. */
export interface Story {
  subject: Subject
  /** The one on which the receiver does its work. */
  event: Event
  /** What is filed before it, oldest first. */
  before: readonly Event[]
  /** The same subject's event of another type, with its object in any status and other fields as they are wanted. */
  filed(type: string, fields?: Record<string, unknown>): Event
}

export type Tell = () => Promise<Story>

interface Telling {
  acts_on: ActedOn
  livemode: boolean
  reference: () => string | Promise<string>
}

/** A story has begun so long ago, and its events are filed so far apart: only a trial says that two are of one instant. */
const ago_ms = 600_000
const apart_ms = 1_000

/** Tells the same story about another object each time. */
export function storyteller({ acts_on, livemode, reference }: Telling): Tell {
  const ids = createIds()
  return async () => {
    const at_ms = Date.now() - ago_ms
    const payment = ids.prefixed('payment', livemode, at_ms)
    const own = {
      'payment.succeeded': payment,
      'checkout_session.completed': ids.prefixed('checkout_session', livemode, at_ms),
      'refund.succeeded': ids.prefixed('refund', livemode, at_ms),
    }
    const subject = { id: own[acts_on], payment, reference: await reference() }
    const opened_at = iso(at_ms)
    let filed_ms = at_ms
    const filed: Story['filed'] = (type, fields = {}) => {
      filed_ms += apart_ms
      const created_at = iso(filed_ms)
      const about = objectOf(type, { subject, livemode, opened_at, created_at })
      return {
        object: 'event',
        id: ids.prefixed('event', livemode, filed_ms),
        type: type as EventType,
        created_at,
        livemode,
        data: { object: { ...about, ...fields } },
      }
    }
    const earlier = before[acts_on].map((type) => filed(type))
    return { subject, event: filed(acts_on), before: earlier, filed }
  }
}

/** A checkout session's payment is announced beside it. */
const before: Record<ActedOn, readonly EventType[]> = {
  'payment.succeeded': ['payment.processing'],
  'checkout_session.completed': ['payment.processing', 'payment.succeeded'],
  'refund.succeeded': ['refund.pending'],
}

interface Announced extends Pick<Event, 'livemode' | 'created_at'> {
  subject: Subject
  /** When the object was made. */
  opened_at: string
}

function objectOf(type: string, { subject, livemode, opened_at, created_at }: Announced) {
  const [kind = '', status = ''] = type.split('.')
  const { id, payment, reference } = subject
  const shared = { amount: 1250, currency: 'USD', metadata: { reference }, livemode, created_at: opened_at }
  const done_at = status === 'succeeded' || status === 'completed' ? created_at : null
  const objects: Record<string, Event['data']['object']> = {
    payment: {
      object: 'payment',
      id: payment,
      status,
      ...shared,
      amount_refunded: 0,
      customer: null,
      payment_method: null,
      payment_method_type: 'card',
      checkout_session: id === payment ? null : id,
      invoice: null,
      reference,
      description: null,
      failure: null,
      succeeded_at: done_at,
    },
    checkout_session: {
      object: 'checkout_session',
      id,
      status: status === 'completed' ? 'complete' : status,
      ...shared,
      reference,
      payment,
      completed_at: done_at,
    },
    refund: { object: 'refund', id, payment, status, ...shared, failure: null, succeeded_at: done_at },
  }
  return objects[kind] ?? { object: kind, id, ...shared }
}
