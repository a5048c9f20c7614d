import { breach, far_off, long_ago, nothing, sealed_elsewhere } from './breach.ts'

export const keys = [
  breach('M42', 'idempotency_keys', 'whose answer was sealed with another secret', {
    of: { answer_event: null },
    change: { answer_body: sealed_elsewhere },
  }),
  breach('M2', 'idempotency_keys', 'that made a refund by a payment', {
    of: { operation: 'payments.create', answer_status: 200 },
    change: { operation: 'refunds.create' },
  }),
  breach('M2', 'idempotency_keys', 'that made the payment of another', {
    of: { operation: 'payments.create', answer_status: 200 },
    copy: { id: 'another' },
  }),
  breach('M42', 'idempotency_keys', 'that answers with the payment of another', {
    of: { operation: 'payments.create', answer_status: 200, answer_body: null },
    change: ({ answer_event }) => ({ intent: nothing, answer_event }),
  }),
  breach('M44', 'events', 'of a failure, with which a request was answered 200', {
    of: { type: 'payment.processing' },
    change: { type: 'payment.failed' },
    found: 'idempotency_keys',
  }),
  breach('M53', 'sync_runs', 'due for years', { change: { due_at: long_ago } }),
  breach('M2', 'idempotency_keys', 'that made a payment that is not there', {
    of: { operation: 'payments.create', answer_status: 200 },
    change: { intent: nothing },
  }),
  breach('M2', 'idempotency_keys', 'that forgot the payment it made', {
    of: { operation: 'payments.create', answer_status: 200 },
    change: { intent: null },
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
    says: 'answered 402, and',
  }),
  breach('M44', 'payments', 'that is an intent, with which a request was answered', {
    of: { status: 'processing' },
    change: { status: null, listed: false },
    found: 'idempotency_keys',
  }),
  breach('M44', 'idempotency_keys', 'answered without a status', {
    of: { answer_status: 200 },
    change: { answer_status: null },
    says: 'is answered, with status null',
  }),
  breach('M44', 'idempotency_keys', 'neither in flight nor answered', {
    of: { operation: 'payments.create', answer_body: null },
    change: { answer_event: null },
    says: 'is neither',
  }),
  breach('M44', 'idempotency_keys', 'not answered, with a status', {
    of: { operation: 'payments.create', answer_body: null },
    change: { answer_event: null },
    says: 'is not answered, with status 200',
  }),
  breach('M44', 'idempotency_keys', 'kept for ever', { change: { due_at: null } }),
  breach('M53', 'idempotency_keys', 'due for years', { change: { due_at: long_ago } }),
  breach('M44', 'idempotency_keys', 'that answers 200 with a refusal', {
    of: { operation: 'checkout_sessions.create' },
    change: { answer_body: '{"error":{"code":"conflict"}}' },
  }),
  breach('M2', 'idempotency_keys', 'that forgot the payment it made on a page', {
    of: { operation: 'checkout_sessions.pay' },
    change: { intent: null },
  }),
  breach('M42', 'idempotency_keys', 'that refuses with the payment of another', {
    of: { operation: 'payments.create', answer_status: 402 },
    change: { answer_body: `{"error":{"payment":"${nothing}"}}` },
  }),
  breach('M42', 'idempotency_keys', 'that refuses with the refund of another', {
    of: { operation: 'refunds.create', answer_status: 402 },
    change: { answer_body: '{"error":{"refund":"re_test_none"}}' },
  }),
  breach('M2', 'checkout_sessions', 'that was made under a key, and is gone', {
    of: { success_url: 'https://shop.example.com/thanks' },
    remove: true,
    found: 'idempotency_keys',
  }),
  breach('M2', 'idempotency_keys', 'that made the page of another', {
    of: { operation: 'checkout_sessions.create' },
    copy: { id: 'another' },
  }),
  breach('M2', 'idempotency_keys', 'that made a page at another time', {
    of: { operation: 'checkout_sessions.create' },
    change: { created_at: long_ago },
  }),
  breach('M2', 'idempotency_keys', 'that forgot the page it made', {
    of: { operation: 'checkout_sessions.create' },
    change: { intent: null },
  }),
  breach('M42', 'idempotency_keys', 'that answers with the page of another', {
    of: { operation: 'checkout_sessions.create' },
    change: { answer_body: '{"object":"checkout_session","id":"cs_test_none"}' },
  }),
  breach('M44', 'idempotency_keys', 'that answers 500 with a page', {
    of: { operation: 'checkout_sessions.create' },
    change: { answer_status: 500 },
  }),
  breach('M44', 'idempotency_keys', 'that answers 500 with an event', {
    of: { operation: 'payments.create', answer_status: 200, answer_body: null },
    change: { answer_status: 500 },
  }),
  ...[201, 399].map((answer_status) =>
    breach('M44', 'idempotency_keys', `that answers ${answer_status}`, {
      of: { operation: 'checkout_sessions.create' },
      change: { answer_status, answer_body: '{"error":{}}' },
    }),
  ),
  breach('M53', 'idempotency_keys', 'in flight for years', {
    of: { operation: 'payments.create' },
    change: { lease_until: far_off, answer_status: null, answer_body: null, answer_event: null },
  }),
]
