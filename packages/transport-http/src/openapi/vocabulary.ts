import type { Route } from '../routes.ts'

/** What the API's field names mean, in any schema, or only in the schema whose name precedes them. */
export const words: Record<string, string> = {
  accepted_at: 'When the account holder accepted the authorization; null until then.',
  amount: 'In the smallest currency unit.',
  amount_due: 'What a payer can still pay today: the total less what is paid, pending or written off.',
  amount_paid: 'Collected so far, refunds netted out.',
  amount_pending: 'Charges still processing, counted as owed until they fail.',
  amount_refunded: 'Given back, or on its way back; a failed refund no longer counts.',
  client_secret: 'For the browser, and returned only by the create call.',
  'CheckoutSession.url': 'The hosted page; null unless it is open.',
  currency: 'ISO 4217. A request may write it in lower case.',
  deliveries: 'Oldest first.',
  enabled_events: 'Event types, or `*` alone for every type, present and future.',
  'Event.created_at': 'When the object reached this state, not when a delivery was sent.',
  'EventWithDeliveries.created_at': 'When the object reached this state, not when a delivery was sent.',
  expires_in: 'Seconds until the page expires.',
  external_id: "The id in the merchant's ERP.",
  failure: 'Why it failed or came back; null otherwise.',
  has_more: 'Whether further pages exist.',
  last_error: 'Short text such as `timeout`, `http 503`, `redirect` or `host not allowed`.',
  last_response_status: 'The HTTP status the endpoint answered.',
  limit: 'How many records a page holds.',
  livemode: 'Whether this belongs to the live environment or to the sandbox.',
  metadata:
    'Up to 20 keys of up to 40 characters, values of up to 500: stored and returned, never interpreted.',
  number: 'The number the customer sees; it can repeat across customers.',
  past_due: 'True from the day after `due_date` while the invoice is open.',
  'Payment.created_at': 'When its request began.',
  payment_url: 'The hosted payment page; null while there is no usable link.',
  reference: "The merchant's own reference.",
  'Refund.created_at': 'When its request began.',
  secret: 'Signs the deliveries to this endpoint. Returned only by the create call.',
  starting_after: 'The `id` of the last record of the previous page of this list, which runs newest first.',
  total: 'In the smallest currency unit.',
}

const envelope = ['object', 'data', 'has_more']
const session =
  `object id status payment_method_types amount currency livemode expires_at canceled_at succeeded_at
  card us_bank_account ach_authorization created_at`.split(/\s+/)
const endpoint = 'object id url description enabled_events status livemode created_at'.split(' ')
const event = 'object id type created_at livemode data'.split(' ')

/** The schemas with a name, and the fields that the specification itself names. All others are extensions, and marked. */
export const ofSpecification = {
  Account: 'object id name environment livemode'.split(' '),
  Invoice:
    `object id number external_id customer status past_due currency total amount_paid amount_pending amount_due
    invoice_date due_date payment_url livemode created_at`.split(/\s+/),
  InvoiceList: envelope,
  Customer: 'object id reference name email phone created_at'.split(' '),
  CustomerList: envelope,
  PaymentMethodSession: [...session, 'customer', 'payment_method'],
  CreatedPaymentMethodSession: [...session, 'customer', 'payment_method', 'client_secret'],
  BrowserPaymentMethodSession: session,
  AchAuthorization: [],
  PaymentMethod:
    `object id type usage status customer session card us_bank_account billing_details livemode expires_at
    created_at`.split(/\s+/),
  PaymentMethodList: envelope,
  Card: 'brand last4 exp_month exp_year funding'.split(' '),
  UsBankAccount: [],
  BillingDetails: ['name', 'postal_code'],
  Payment: 'object id status failure'.split(' '),
  PaymentList: envelope,
  PaymentFailure: [],
  Refund: 'id payment status amount currency reason failure livemode created_at succeeded_at'.split(' '),
  RefundList: envelope,
  RefundFailure: [],
  CheckoutSession:
    `object id status amount currency reference description success_url cancel_url customer_email customer
    payment_method_types metadata payment livemode expires_at completed_at created_at`.split(/\s+/),
  CheckoutSessionList: envelope,
  WebhookEndpoint: endpoint,
  CreatedWebhookEndpoint: [...endpoint, 'secret'],
  DeletedWebhookEndpoint: [],
  WebhookEndpointList: envelope,
  Event: event,
  EventList: envelope,
  EventData: ['object'],
  EventWithDeliveries: [...event, 'deliveries'],
  Delivery:
    `endpoint origin status attempt_count created_at last_attempt_at next_attempt_at last_response_status
    last_error`.split(/\s+/),
} satisfies Record<string, readonly string[]>

export type SchemaName = keyof typeof ofSpecification

const page = ['limit', 'starting_after']
const id = ['id']

/**
 * The routes that the specification itself names, each with the parameters it names there. The two browser
 * endpoints are named without their paths. All other routes and parameters are extensions, and marked.
 */
const routesOfSpecification: Partial<Record<string, readonly string[]>> = {
  'GET /account': [],
  'GET /invoices': [...page, 'number', 'external_id', 'customer', 'status'],
  'GET /customers': [...page, 'reference'],
  'POST /payment-method-sessions': ['customer', 'payment_method_types', 'amount', 'currency'],
  'GET /payment-method-sessions/{id}': id,
  'POST /payment-method-sessions/{id}/confirm': id,
  'GET /payment-methods/{id}': id,
  'POST /payments': [],
  'GET /payments': page,
  'GET /payments/{id}': id,
  'POST /refunds': [],
  'GET /refunds/{id}': id,
  'POST /checkout-sessions/{id}/expire': id,
  'POST /webhook-endpoints': ['url', 'enabled_events', 'description'],
  'GET /webhook-endpoints': page,
  'GET /webhook-endpoints/{id}': id,
  'POST /webhook-endpoints/{id}': [...id, 'url', 'enabled_events', 'description', 'status'],
  'DELETE /webhook-endpoints/{id}': id,
  'GET /events': [...page, 'type'],
  'GET /events/{id}': id,
  'POST /events/{id}/resend': [...id, 'endpoint'],
}

/** The parameters that the specification names for a route; undefined if it does not name the route. */
export function specifiedParameters({ method, path }: Route): readonly string[] | undefined {
  return routesOfSpecification[`${method} ${path}`]
}
