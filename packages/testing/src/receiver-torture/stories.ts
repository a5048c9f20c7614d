import {
  type CheckoutSession,
  createIds,
  type EventType,
  iso,
  type Payment,
  type Refund,
  shifted,
} from '@quittance/core'

/** The events on which a receiver may do its work. */
export type ActedOn = 'payment.succeeded' | 'checkout_session.completed' | 'refund.succeeded'

/** What a story is about: the object of its events, its payment, and the merchant's own reference. */
export interface Subject {
  id: string
  payment: string
  reference: string
}

/** An event as it is sent here: also of a type that there is not, and with its object in any state. */
export interface SentEvent {
  object: 'event'
  id: string
  type: string
  created_at: string
  livemode: boolean
  data: { object: Record<string, unknown> & { object: string; id: string } }
}

/** What happens to one object, event by event. */
export interface Story {
  subject: Subject
  /** The one on which the receiver does its work. */
  event: SentEvent
  /** What is filed before it, oldest first. */
  before: readonly SentEvent[]
  /** The same subject's event of another type, with its object in any status and other fields as they are wanted. */
  filed(type: string, fields?: Record<string, unknown>): SentEvent
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
        type,
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
export const before: Record<ActedOn, readonly EventType[]> = {
  'payment.succeeded': ['payment.processing'],
  'checkout_session.completed': ['payment.processing', 'payment.succeeded'],
  'refund.succeeded': ['refund.pending'],
}

interface Announced extends Pick<SentEvent, 'livemode' | 'created_at'> {
  subject: Subject
  /** When the object was made. */
  opened_at: string
}

function objectOf(type: string, announced: Announced): SentEvent['data']['object'] {
  const [kind = '', status = ''] = type.split('.')
  if (kind === 'payment') return { ...paymentOf(announced), ...inStatus(status, announced) }
  if (kind === 'refund') return { ...refundOf(announced), ...inStatus(status, announced) }
  const page = checkoutSessionOf(announced)
  if (kind !== 'checkout_session') return { ...page, object: kind }
  return status === 'completed'
    ? { ...page, status: 'complete', completed_at: announced.created_at }
    : { ...page, status }
}

/** When an object came to a status it says in a field that is named after it. */
function inStatus(status: string, { created_at }: Announced) {
  return { status, ...(['processing', 'pending'].includes(status) ? {} : { [`${status}_at`]: created_at }) }
}

function sharedBy({ subject: { reference }, livemode, opened_at }: Announced) {
  const money = { amount: 1250, currency: 'USD' } as const
  return { ...money, metadata: { reference }, livemode, created_at: opened_at }
}

function paymentOf(announced: Announced): Payment {
  const { id, payment, reference } = announced.subject
  return {
    object: 'payment',
    id: payment,
    status: 'processing',
    ...sharedBy(announced),
    amount_refunded: 0,
    customer: null,
    payment_method: payment.replace(/^pay/, 'pm'),
    payment_method_type: 'card',
    checkout_session: id.startsWith('cs_') ? id : null,
    invoice: null,
    reference,
    description: null,
    failure: null,
    succeeded_at: null,
    failed_at: null,
    canceled_at: null,
    returned_at: null,
  }
}

function refundOf(announced: Announced): Refund {
  const { id, payment } = announced.subject
  return {
    object: 'refund',
    id,
    payment,
    status: 'pending',
    ...sharedBy(announced),
    reason: null,
    failure: null,
    succeeded_at: null,
    failed_at: null,
  }
}

function checkoutSessionOf(announced: Announced): CheckoutSession {
  const { id, payment, reference } = announced.subject
  return {
    object: 'checkout_session',
    id,
    status: 'open',
    ...sharedBy(announced),
    reference,
    description: null,
    success_url: 'https://shop.example.com/thanks',
    cancel_url: 'https://shop.example.com/cart',
    customer_email: null,
    customer: null,
    payment_method_types: ['card'],
    payment,
    url: null,
    expires_at: shifted(announced.opened_at, 86_400_000),
    completed_at: null,
  }
}
