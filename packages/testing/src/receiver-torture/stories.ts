import { createIds, type EventType, type Ids, iso, type Payment } from '@quittance/core'
import { happenedAt, objectOf, type Sale, type SentObject } from './objects.ts'

/** The event types on which a receiver may do its work. */
export type ActedOn = 'payment.succeeded' | 'checkout_session.completed' | 'refund.succeeded'

/** What a story is about: the object of the event that is acted on, its payment, and the merchant's own reference. */
export interface Subject {
  id: string
  payment: string
  reference: string
}

/** An event as it is sent here, even of a type that does not exist. */
export interface SentEvent {
  object: 'event'
  id: string
  type: string
  created_at: string
  livemode: boolean
  data: { object: SentObject }
}

/** What happens to one payment, event by event. */
export interface Story {
  subject: Subject
  /** The event on which the receiver does its work. */
  event: SentEvent
  /** The events before it, oldest first. */
  before: readonly SentEvent[]
  /** The `payment.failed` of an earlier attempt to pay under the same reference, before all these. */
  first_attempt: SentEvent
  /** Another event of the story. `fields` override its object, even the status that the type implies. */
  filed(type: string, fields?: Record<string, unknown>): SentEvent
}

/** All events up to the one that is acted on. */
export function inOrder({ before, event }: Story): readonly SentEvent[] {
  return [...before, event]
}

export type Tell = (ago_ms?: number) => Promise<Story>

export interface Telling {
  acts_on: ActedOn
  amount: number
  currency: Payment['currency']
  livemode: boolean
  reference: (about: Omit<Subject, 'reference'>) => string | Promise<string>
}

/** Tells the same story about another payment each time. */
export function storyteller({ acts_on, reference, ...terms }: Telling): Tell {
  const ids = createIds()
  return async (ago_ms = 600_000) => {
    const opened_ms = Date.now() - ago_ms
    const newId = (kind: 'payment' | 'checkout_session' | 'refund') =>
      ids.prefixed(kind, terms.livemode, opened_ms)
    const own = {
      payment: newId('payment'),
      checkout_session: newId('checkout_session'),
      refund: newId('refund'),
    }
    const about = { id: own[kinds[acts_on]], payment: own.payment }
    const subject = { ...about, reference: checkedReference(await reference(about)) }
    const sale: Sale = {
      ...own,
      ...terms,
      reference: subject.reference,
      opened_at: iso(opened_ms),
      on_page: acts_on === 'checkout_session.completed',
    }
    const filed = filerOf(sale, ids)
    const first = { ...sale, payment: newId('payment'), opened_at: iso(opened_ms - 60_000) }
    return {
      subject,
      event: filed(acts_on),
      before: before[acts_on].map((type) => filed(type)),
      first_attempt: filerOf(first, ids)('payment.failed'),
      filed,
    }
  }
}

function filerOf(sale: Sale, ids: Ids): Story['filed'] {
  return (type, fields = {}) => {
    const created_at = happenedAt(sale, type)
    return {
      object: 'event',
      id: ids.prefixed('event', sale.livemode, Date.parse(created_at)),
      type,
      created_at,
      livemode: sale.livemode,
      data: { object: objectOf(sale, type, fields) },
    }
  }
}

const kinds = {
  'payment.succeeded': 'payment',
  'checkout_session.completed': 'checkout_session',
  'refund.succeeded': 'refund',
} as const

/** A checkout session's payment is announced beside it, and a refund is of a payment that was announced. */
export const before: Record<ActedOn, readonly EventType[]> = {
  'payment.succeeded': ['payment.processing'],
  'checkout_session.completed': ['payment.processing', 'payment.succeeded'],
  'refund.succeeded': ['payment.succeeded', 'refund.pending'],
}

function checkedReference(reference: unknown): string {
  if (typeof reference === 'string' && reference.length >= 1 && reference.length <= 100) return reference
  throw new TypeError('`reference` gives a text of 1 to 100 characters, as the API takes it.')
}
