import type { TableName, Tables } from '../../src/ports/tables.ts'

/** What is done to a row by hand, and what it then breaks. */
export interface Breach {
  invariant: `M${number}`
  what: string
  table: TableName
  /** The row it is done to: the first of its table that equals this. */
  of: object
  /** New values of its columns, or `remove`, or `copy` with other values. */
  change?: object | ((row: never) => object)
  remove?: true
  copy?: object
  /** The violation is found here, where that is not the row itself. */
  found?: TableName
  /** A database of ours refuses such a row by itself. */
  only?: 'memory'
}

type Change<Name extends TableName> = Partial<Tables[Name]>

/** A change of one column and more, typed by its table. */
function breach<Name extends TableName>(
  invariant: Breach['invariant'],
  table: Name,
  what: string,
  {
    of = {},
    ...rest
  }: Omit<Breach, 'invariant' | 'table' | 'what' | 'of' | 'change' | 'copy'> & {
    of?: Change<Name>
    change?: Change<Name> | ((row: Tables[Name]) => Change<Name>)
    copy?: Change<Name>
  },
): Breach {
  return { invariant, table, what, of, ...rest }
}

const nothing = 'pay_test_000000000000000000000000'
const long_ago = '2020-01-01T00:00:00.000Z'

const payments = [
  breach('M5', 'payments', 'of another amount than was authorized', {
    of: { payment_method_type: 'us_bank_account', status: 'succeeded' },
    change: { amount: 1 },
  }),
  breach('M6', 'payments', 'in a status it has no time of', {
    of: { status: 'succeeded' },
    change: { succeeded_at: null },
  }),
  breach('M6', 'payments', 'unlisted', { of: { status: 'failed' }, change: { listed: false } }),
  breach('M6', 'payments', 'authorized', { of: { status: 'succeeded' }, change: { status: 'authorized' } }),
  breach('M6', 'payments', 'processing that had succeeded', {
    of: { status: 'succeeded' },
    change: { status: 'processing', due_at: '2030-01-01T00:00:00.000Z' },
  }),
  breach('M7', 'payments', 'failed without evidence', {
    of: { status: 'failed' },
    change: { evidence: null },
  }),
  breach('M7', 'payments', 'failed without a reason', {
    of: { status: 'failed' },
    change: { failure: null },
  }),
  breach('M8', 'payment_methods', 'charged and active', {
    of: { status: 'consumed' },
    change: { status: 'active' },
    found: 'payments',
  }),
  breach('M9', 'payments', 'of a method that is not there', { change: { payment_method: 'pm_test_none' } }),
  breach('M13', 'refunds', 'given back twice over', {
    of: { status: 'succeeded' },
    change: { amount: 1001 },
    found: 'payments',
  }),
  breach('M14', 'refunds', 'under way beside another', {
    of: { status: 'pending' },
    copy: { id: 're_test_zzzzzzzzzzzzzzzzzzzzzzzz', pending_of: null },
    found: 'payments',
  }),
  breach('M17', 'payments', 'that forgot a refund', {
    of: { amount_refunded: 400 },
    change: { amount_refunded: 0 },
  }),
  breach('M17', 'payments', 'that forgot that a refund succeeded', {
    of: { refunds_succeeded: 400 },
    change: { refunds_succeeded: 0 },
  }),
  breach('M30', 'events', 'lost', { of: { type: 'payment.succeeded' }, remove: true, found: 'payments' }),
  breach('M31', 'events', 'twice', {
    of: { type: 'payment.failed' },
    copy: { id: 'evt_test_zzzzzzzzzzzzzzzzzzzzzzzz' },
    found: 'payments',
  }),
  breach('M31', 'payments', 'of an invoice page that was announced', {
    of: { status: 'succeeded', source: 'api' },
    change: { source: 'invoice_page', listed: false },
  }),
  breach('M47', 'payments', 'of a customer of somebody else', { change: { customer: 'nobody' } }),
  breach('M48', 'payments', 'of half a cent', { change: { amount: 10.5 }, only: 'memory' }),
  breach('M53', 'payments', 'processing and never asked about', {
    of: { status: 'processing' },
    change: { due_at: null },
  }),
  breach('M53', 'payments', 'due for years', { of: { status: 'processing' }, change: { due_at: long_ago } }),
]

const refunds = [
  breach('M14', 'refunds', 'pending, and its payment free for another', {
    of: { status: 'pending' },
    change: { pending_of: null },
  }),
  breach('M16', 'refunds', 'of a payment that is not there', {
    of: { status: 'failed' },
    change: { payment: nothing },
  }),
  breach('M18', 'refunds', 'in another currency', {
    of: { status: 'succeeded' },
    change: { currency: 'CAD' },
  }),
  breach('M19', 'refunds', 'succeeded at no time', {
    of: { status: 'succeeded' },
    change: { succeeded_at: null },
  }),
  breach('M19', 'refunds', 'failed without a reason', {
    of: { status: 'failed' },
    change: { failure: null },
  }),
  breach('M30', 'events', 'of a refund lost', {
    of: { type: 'refund.succeeded' },
    remove: true,
    found: 'refunds',
  }),
]

const collected = [
  breach('M9', 'payment_method_sessions', 'that yielded the method of another', {
    of: { status: 'succeeded' },
    change: { payment_method: 'pm_test_none' },
  }),
  breach('M9', 'payment_methods', 'of a session that does not know it', {
    change: { session: 'pms_test_none' },
  }),
  breach('M10', 'payment_method_sessions', 'succeeded at no time', {
    of: { status: 'succeeded' },
    change: { succeeded_at: null },
  }),
  breach('M10', 'payment_method_sessions', 'canceled after it yielded a method', {
    of: { status: 'succeeded' },
    change: { status: 'canceled', canceled_at: long_ago, succeeded_at: null, token: null },
    found: 'payment_methods',
  }),
  breach('M11', 'payment_methods', 'without an authorization', {
    of: { type: 'us_bank_account' },
    change: { terms_version: null },
  }),
  breach('M8', 'payment_methods', 'held by a charge that is not there', {
    of: { status: 'active' },
    change: { charging_payment: nothing },
  }),
]

const sold = [
  breach('M5', 'checkout_sessions', 'of another amount than its payment', {
    of: { status: 'complete' },
    change: { amount: 999 },
  }),
  breach('M26', 'checkout_sessions', 'complete without a payment', {
    of: { status: 'complete' },
    change: { payment: null },
  }),
  breach('M26', 'payments', 'made on a page that names another', {
    of: { checkout_session: null, status: 'succeeded', amount: 1000 },
    change: { checkout_session: 'the complete page' },
    found: 'checkout_sessions',
  }),
  breach('M27', 'events', 'of a page lost', {
    of: { type: 'checkout_session.completed' },
    remove: true,
    found: 'checkout_sessions',
  }),
  breach('M28', 'payments', 'made on a page that expired', {
    of: { checkout_session: null, status: 'succeeded', amount: 1000 },
    change: { checkout_session: 'the expired page' },
    found: 'checkout_sessions',
  }),
  breach('M29', 'checkout_sessions', 'that forgot the payment in flight', {
    of: { status: 'open', due_at: null },
    change: ({ expires_at }) => ({ paying: null, due_at: expires_at }),
  }),
  breach('M20', 'invoices', 'with a discount for a payment that did not pay it', {
    of: { status: 'open' },
    change: { early_payment_discount: { amount: 1, until: '2030-01-01', taken_by: nothing } },
  }),
  breach('M21', 'invoices', 'paid a cent too much', {
    of: { amount_paid: 400 },
    change: { amount_paid: 401 },
  }),
  breach('M22', 'invoices', 'with nothing pending', {
    of: { amount_pending: 100 },
    change: { amount_pending: 0 },
  }),
  breach('M23', 'invoices', 'canceled with money pending', {
    of: { amount_pending: 100 },
    change: { status: 'canceled' },
  }),
  breach('M23', 'invoices', 'covered and open', { of: { status: 'paid' }, change: { status: 'open' } }),
  breach('M25', 'invoices', 'of less than was paid', { of: { amount_paid: 400 }, change: { total: 399 } }),
  breach('M47', 'invoices', 'of a customer of somebody else', {
    change: { customer: '00000000-0000-7000-8000-000000000000' },
  }),
]

const sent = [
  breach('M30', 'events', 'about nothing', { change: { subject: nothing } }),
  breach('M32', 'events', 'about something else', {
    change: ({ body }) => ({ body: body.replaceAll('"id":"', '"id":"x') }),
  }),
  breach('M33', 'events', 'behind its type', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace('"status":"succeeded"', '"status":"processing"') }),
  }),
  breach('M47', 'events', 'of the other environment', {
    change: ({ body }) => ({ body: body.replaceAll('"livemode":false', '"livemode":true') }),
  }),
  breach('M34', 'deliveries', 'emitted twice', {
    copy: { id: 'ffffffff-0000-7000-8000-000000000000', emit_of: null, pending_of: null },
    found: 'events',
  }),
  breach('M34', 'deliveries', 'of no event', {
    of: { status: 'succeeded' },
    change: { event: 'evt_test_none' },
  }),
  breach('M35', 'deliveries', 'attempted nine times', {
    of: { status: 'succeeded' },
    change: { attempt_count: 9 },
  }),
  breach('M35', 'deliveries', 'retried at once', {
    of: { status: 'pending', attempt_count: 1 },
    change: ({ last_attempt_at }) => ({ next_attempt_at: last_attempt_at }),
  }),
  breach('M36', 'deliveries', 'that succeeded without a 2xx', {
    of: { status: 'succeeded' },
    change: { last_response_status: 500 },
  }),
  breach('M36', 'deliveries', 'exhausted after one attempt', {
    of: { status: 'pending', attempt_count: 1 },
    change: { status: 'exhausted', next_attempt_at: null, pending_of: null },
  }),
  breach('M40', 'deliveries', 'pending twice', {
    of: { status: 'pending' },
    copy: { id: 'ffffffff-0000-7000-8000-000000000000', origin: 'resend', emit_of: null, pending_of: null },
    found: 'events',
  }),
  breach('M41', 'webhook_endpoints', 'deleted and enabled', {
    of: { listed: false },
    change: { status: 'enabled' },
  }),
  breach('M2', 'idempotency_keys', 'that made a payment that is not there', {
    of: { operation: 'payments.create', answer_status: 200 },
    change: { intent: nothing },
  }),
  breach('M42', 'idempotency_keys', 'whose answer is gone', {
    of: { operation: 'payments.create', answer_body: null },
    change: { answer_event: 'evt_test_none' },
  }),
  breach('M44', 'idempotency_keys', 'in flight and answered', {
    change: { lease_until: '2030-01-01T00:00:00.000Z' },
  }),
  breach('M44', 'idempotency_keys', 'that refused a payment that succeeded', {
    of: { operation: 'payments.create', answer_status: 200 },
    change: { answer_status: 402 },
  }),
]

export const breaches: readonly Breach[] = [...payments, ...refunds, ...collected, ...sold, ...sent]
