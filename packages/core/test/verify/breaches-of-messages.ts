import { shifted } from '../../src/schema/timestamps.ts'
import { breach, far_off, long_ago, nobody, nothing, sealed_elsewhere } from './breach.ts'

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
  breach('M35', 'deliveries', 'retried a moment early', {
    of: { status: 'pending', attempt_count: 1 },
    change: ({ next_attempt_at }) => ({ next_attempt_at: shifted(next_attempt_at ?? long_ago, -1) }),
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
  breach('M30', 'events', 'of a type that there is not', {
    of: { type: 'payment.succeeded' },
    copy: { id: 'evt_test_zzzzzzzzzzzzzzzzzzzzzzzz', type: 'payment.paid' as never },
  }),
  breach('M33', 'events', 'that shows a status that there is not', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace('"status":"succeeded"', '"status":"paid"') }),
  }),
  breach('M33', 'events', 'that shows no status', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace('"status":"succeeded",', '') }),
  }),
  breach('M33', 'events', 'of a charge under way that shows a failure', {
    of: { type: 'payment.processing' },
    change: ({ body }) => ({ body: body.replace('"status":"processing"', '"status":"failed"') }),
  }),
  breach('M32', 'events', 'dated before what it is about', {
    of: { type: 'payment.processing' },
    change: ({ body, created_at }) => ({ created_at: long_ago, body: body.replace(created_at, long_ago) }),
  }),
  breach('M32', 'events', 'of another time than its object succeeded', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace(/"succeeded_at":"[^"]+"/, `"succeeded_at":"${long_ago}"`) }),
  }),
  breach('M32', 'payments', 'that succeeded at another time than was announced', {
    of: { status: 'succeeded', source: 'api' },
    change: { succeeded_at: far_off, changed_at: far_off },
    found: 'events',
  }),
  breach('M32', 'payments', 'made at no time that there is', {
    of: { status: 'succeeded', source: 'api' },
    change: { created_at: '' },
    found: 'events',
    only: 'memory',
  }),
  breach('M32', 'events', 'with another reference', {
    of: { type: 'payment.succeeded' },
    change: ({ body }) => ({ body: body.replace('"reference":null', '"reference":"order-2"') }),
  }),
  breach('M32', 'events', 'of a refund of another payment', {
    of: { type: 'refund.succeeded' },
    change: ({ body }) => ({ body: body.replace(/"payment":"[^"]+"/, `"payment":"${nothing}"`) }),
  }),
  breach('M35', 'deliveries', 'attempted before it was made', {
    of: { status: 'succeeded' },
    change: { last_attempt_at: long_ago },
  }),
  breach('M36', 'deliveries', 'canceled after eight attempts', {
    of: { status: 'canceled' },
    change: { attempt_count: 8 },
  }),
  breach('M53', 'deliveries', 'put off for years', {
    of: { status: 'pending' },
    change: { next_attempt_at: far_off },
  }),
  breach('M34', 'webhook_endpoints', 'without a url', { change: { url: '' } }),
  breach('M34', 'webhook_endpoints', 'subscribed to events that there are not', {
    change: { enabled_events: ['payment.paid' as never] },
  }),
  breach('M53', 'sync_runs', 'running and never continued', { change: { due_at: null } }),
  breach('M47', 'sync_runs', 'of a connection that is not there', { change: { connection: 'none' } }),
  breach('M47', 'ledger_invoices', 'of a connection that is not there', { change: { connection: 'none' } }),
  breach('M47', 'ledger_invoices', 'of an invoice that is not there', { copy: { id: nobody } }),
]
