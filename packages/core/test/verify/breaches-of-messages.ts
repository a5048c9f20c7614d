import { createSecrets } from '../../src/kernel/secrets.ts'
import { createIds } from '../../src/ports/ids.ts'
import { breach, long_ago, nothing } from './breach.ts'

const sealed_elsewhere = createSecrets('a secret that the engine never had', createIds()).encrypt('{}')

export const sent = [
  breach('M30', 'events', 'about nothing', { change: { subject: nothing } }),
  breach('M32', 'events', 'about something else', {
    change: ({ body }) => ({ body: body.replaceAll('"id":"', '"id":"x') }),
  }),
  breach('M32', 'events', 'that is no event', {
    change: ({ body }) => ({ body: body.replace('"object":"event"', '"object":"payment"') }),
  }),
  breach('M32', 'events', 'about an object of another kind', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace('"object":"payment"', '"object":"refund"') }),
  }),
  breach('M32', 'events', 'of another amount than what it announces', {
    change: ({ body }) => ({ body: body.replace('"amount":', '"amount":9') }),
  }),
  breach('M32', 'payments', 'whose amount is not the one that was announced', {
    of: { payment_method_type: 'card', status: 'succeeded' },
    change: ({ amount }) => ({ amount: amount + 1 }),
    found: 'events',
  }),
  breach('M33', 'events', 'behind its type', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace('"status":"succeeded"', '"status":"processing"') }),
  }),
  breach('M33', 'events', 'of a success that shows a failure', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace('"status":"succeeded"', '"status":"failed"') }),
  }),
  breach('M33', 'events', 'of a page that shows it open', {
    of: { type: 'checkout_session.completed' },
    change: ({ body }) => ({ body: body.replace('"status":"complete"', '"status":"open"') }),
  }),
  breach('M32', 'events', 'of another time than it says', { change: { created_at: long_ago } }),
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
  breach('M35', 'deliveries', 'that succeeded without an attempt', {
    of: { status: 'succeeded' },
    change: { attempt_count: 0 },
  }),
  breach('M36', 'deliveries', 'that succeeded without a 2xx', {
    of: { status: 'succeeded' },
    change: { last_response_status: 500 },
  }),
  breach('M36', 'deliveries', 'that succeeded without an attempt', {
    of: { status: 'succeeded' },
    change: { attempt_count: 0, last_attempt_at: null },
  }),
  breach('M36', 'deliveries', 'exhausted after one attempt', {
    of: { status: 'pending', attempt_count: 1 },
    change: { status: 'exhausted', next_attempt_at: null, pending_of: null },
  }),
  breach('M36', 'deliveries', 'waiting for an endpoint that is disabled', {
    of: { status: 'canceled' },
    change: ({ event, created_at: next_attempt_at }) => {
      return { status: 'pending' as const, pending_of: event, next_attempt_at }
    },
  }),
  breach('M40', 'deliveries', 'pending twice', {
    of: { status: 'pending' },
    copy: { id: 'ffffffff-0000-7000-8000-000000000000', origin: 'resend', emit_of: null, pending_of: null },
    found: 'events',
  }),
  breach('M37', 'webhook_endpoints', 'whose secret was sealed with another', {
    of: { listed: true },
    change: { encrypted_secret: sealed_elsewhere },
  }),
  breach('M42', 'idempotency_keys', 'whose answer was sealed with another secret', {
    of: { answer_event: null },
    change: { answer_body: sealed_elsewhere },
  }),
  breach('M53', 'connections', 'whose token was sealed with another secret', {
    change: { encrypted_token: sealed_elsewhere },
  }),
  breach('M53', 'integrations', 'whose configuration was sealed with another secret', {
    change: { encrypted_configuration: 'cut off' },
  }),
  breach('M41', 'webhook_endpoints', 'deleted and enabled', {
    of: { listed: false },
    change: { status: 'enabled' },
  }),
  breach('M41', 'webhook_endpoints', 'deleted in a place among the others', {
    of: { listed: false },
    change: { slot: 7 },
  }),
  breach('M41', 'webhook_endpoints', 'in a place that there is not', {
    of: { listed: true },
    change: { slot: 17 },
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
  }),
]
