import type { OperationName } from '@quittance/core'

/** Operations that only the hosted pages call, which have no route. */
type OfPages = 'checkout_sessions.pay' | 'invoices.pay'

/** Each operation in one line, and what else a caller should know. */
export const summaries: Record<
  Exclude<OperationName, OfPages>,
  readonly [summary: string, description?: string]
> = {
  'account.retrieve': ['Retrieve the account a key belongs to', 'Needs no scope: checks that a key works.'],
  'invoices.list': ['List invoices', 'Drafts are never listed.'],
  'invoices.retrieve': ['Retrieve an invoice'],
  'customers.list': ['List customers'],
  'customers.retrieve': ['Retrieve a customer'],
  'payment_method_sessions.create': [
    'Create a payment method session',
    'Open for 30 minutes. A `us_bank_account` session without a `customer` needs the `amount` that its holder will authorize and the charge must match; no other session takes one. A `currency` goes with an `amount`.',
  ],
  'payment_method_sessions.retrieve': [
    'Retrieve a payment method session',
    'With a secret key the whole session; in the browser, with a publishable key and the client secret, what the page needs.',
  ],
  'payment_method_sessions.confirm': [
    'Confirm a payment method session from the browser',
    "Takes a `card`, or a `us_bank_account` and the accepted `ach_authorization`: what the session's `payment_method_types` names. What the processor refuses leaves the session open.",
  ],
  'payment_method_sessions.cancel': ['Cancel a payment method session'],
  'payment_methods.create': ['Create a payment method from a confirmed session, without charging it'],
  'payment_methods.list': ['List payment methods'],
  'payment_methods.retrieve': ['Retrieve a payment method'],
  'payment_methods.detach': ['Detach a payment method from its customer'],
  'payments.create': [
    'Charge a payment method',
    'Names either a confirmed `payment_method_session` or a `payment_method`. A one-time bank debit has the `amount` of its session; an `invoice` has at least as much due. A charge whose answer never came is `processing`.',
  ],
  'payments.list': ['List payments'],
  'payments.retrieve': ['Retrieve a payment'],
  'refunds.create': [
    'Refund a payment',
    'Without an amount, all that is left. One refund of a payment is under way at a time.',
  ],
  'refunds.list': ['List refunds'],
  'refunds.retrieve': ['Retrieve a refund'],
  'checkout_sessions.create': [
    'Create a checkout session',
    'A hosted page at `url` that takes one payment. `success_url` and `cancel_url` are `https`; in the sandbox also `http` on localhost. `payment_method_types` names each type once, by default all that the currency allows: a bank debit is made in USD.',
  ],
  'checkout_sessions.list': ['List checkout sessions'],
  'checkout_sessions.retrieve': ['Retrieve a checkout session'],
  'checkout_sessions.expire': ['Expire a checkout session early', 'Refused while the customer is paying.'],
  'webhook_endpoints.create': [
    'Create a webhook endpoint',
    'At most 16 in each environment. `url` is `https` on a publicly reachable host.',
  ],
  'webhook_endpoints.list': ['List webhook endpoints'],
  'webhook_endpoints.retrieve': ['Retrieve a webhook endpoint'],
  'webhook_endpoints.update': [
    'Update a webhook endpoint',
    'Fields left out are kept. `url` is `https` on a publicly reachable host. Disabling cancels the deliveries that are still being retried.',
  ],
  'webhook_endpoints.delete': [
    'Delete a webhook endpoint',
    'Stops it for good; past deliveries stay readable on their events.',
  ],
  'events.list': [
    'List events',
    'Every event of this environment, whether or not an endpoint was listening.',
  ],
  'events.retrieve': ['Retrieve an event with its deliveries'],
  'events.resend': [
    'Deliver an event again to one endpoint',
    'With the same id and body, to an `endpoint` that is enabled. Refused while an earlier delivery of the event to it is still being retried.',
  ],
}

/** Throws for an operation without a line above. */
export function summaryOf(operation: OperationName) {
  if (!(operation in summaries)) throw new Error(`There is no summary of ${operation}.`)
  const [summary, description] = summaries[operation as keyof typeof summaries]
  return { summary, ...(description === undefined ? {} : { description }) }
}

/** What the groups of operations are about, in the order of the route table. */
export const tags = {
  account: 'The workspace a key belongs to.',
  invoices: 'What customers owe, with hosted payment links.',
  customers: 'Whom the workspace bills.',
  payment_method_sessions: 'Short-lived contexts in which a browser collects a card or a US bank account.',
  payment_methods: 'Cards and bank accounts that can be charged.',
  payments: 'Charges.',
  refunds: 'Money of a payment on its way back.',
  checkout_sessions: 'Hosted pages that take one payment.',
  webhook_endpoints: 'URLs that are told of events.',
  events: 'What happened to payments, refunds and checkout sessions, and its deliveries.',
}
