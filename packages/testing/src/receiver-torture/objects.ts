import { type CheckoutSession, type Payment, type Refund, shifted } from '@quittance/core'

/** What a story is about: one payment, and what belongs to it. */
export interface Sale {
  payment: string
  checkout_session: string
  refund: string
  reference: string
  amount: number
  currency: Payment['currency']
  livemode: boolean
  opened_at: string
  /** Whether it was paid on the page of the checkout session. */
  on_page: boolean
}

/** An object of the API, in any state. */
export type SentObject = Record<string, unknown> & { object: string; id: string }

/** How far apart things happen in a story: only a trial puts two events at the same instant. */
const seconds_after: Record<string, number> = {
  'payment.processing': 1,
  'payment.succeeded': 2,
  'checkout_session.completed': 2,
  'payment.failed': 3,
  'payment.canceled': 3,
  'payment.returned': 4,
  'refund.pending': 5,
  'refund.succeeded': 6,
  'refund.failed': 6,
}

/** The time of what an event of this type announces. */
export function happenedAt({ opened_at }: Sale, type: string): string {
  return shifted(opened_at, 1_000 * (seconds_after[type] ?? 7))
}

/** The object of an event as the API shows it, in the status that its type names unless `fields` has another. */
export function objectOf(sale: Sale, type: string, fields: Record<string, unknown>): SentObject {
  const [kind = '', named = ''] = type.split('.')
  const status = String(fields.status ?? named)
  if (kind === 'payment') return { ...paymentIn(sale, status), ...fields }
  if (kind === 'refund') return { ...refundIn(sale, status), ...fields }
  return { ...checkoutSessionIn(sale, status), object: kind, ...fields }
}

function sharedBy(sale: Sale) {
  const { amount, currency, reference, livemode, opened_at } = sale
  return { amount, currency, metadata: { reference }, livemode, created_at: opened_at }
}

function paymentIn(sale: Sale, status: string): Payment {
  const { payment, checkout_session, reference, on_page } = sale
  const since = (...statuses: string[]) =>
    statuses.includes(status) ? happenedAt(sale, `payment.${statuses[0]}`) : null
  return {
    object: 'payment',
    id: payment,
    status: status as Payment['status'],
    ...sharedBy(sale),
    amount_refunded: 0,
    customer: null,
    payment_method: payment.replace(/^pay/, 'pm'),
    payment_method_type: 'card',
    checkout_session: on_page ? checkout_session : null,
    invoice: null,
    reference,
    description: null,
    failure: failures[status] ?? null,
    succeeded_at: since('succeeded', 'returned'),
    failed_at: since('failed'),
    canceled_at: since('canceled'),
    returned_at: since('returned'),
  }
}

const failures: Record<string, Payment['failure']> = {
  failed: {
    code: 'declined',
    message: 'It was declined.',
    decline_code: 'generic_decline',
    return_code: null,
  },
  returned: {
    code: 'chargeback',
    message: 'The payer took it back.',
    decline_code: null,
    return_code: 'chargeback',
  },
}

function refundIn(sale: Sale, status: string): Refund {
  const since = (reached: string) => (status === reached ? happenedAt(sale, `refund.${reached}`) : null)
  return {
    object: 'refund',
    id: sale.refund,
    payment: sale.payment,
    status: status as Refund['status'],
    ...sharedBy(sale),
    reason: null,
    failure: status === 'failed' ? { code: 'refund_rejected', message: 'It was refused.' } : null,
    succeeded_at: since('succeeded'),
    failed_at: since('failed'),
  }
}

function checkoutSessionIn(sale: Sale, status: string): CheckoutSession {
  const is_complete = status === 'completed'
  return {
    object: 'checkout_session',
    id: sale.checkout_session,
    status: is_complete ? 'complete' : (status as CheckoutSession['status']),
    ...sharedBy(sale),
    reference: sale.reference,
    description: null,
    success_url: 'https://shop.example.com/thanks',
    cancel_url: 'https://shop.example.com/cart',
    customer_email: null,
    customer: null,
    payment_method_types: sale.currency === 'USD' ? ['card', 'us_bank_account'] : ['card'],
    payment: is_complete ? sale.payment : null,
    url: null,
    expires_at: shifted(sale.opened_at, 86_400_000),
    completed_at: is_complete ? happenedAt(sale, 'checkout_session.completed') : null,
  }
}
