import { shifted } from '../../src/schema/timestamps.ts'
import { breach, far_off, long_ago, nobody, sealed_elsewhere } from './breach.ts'

export const sent = [
  breach('M34', 'deliveries', 'emitted twice', {
    copy: { id: 'ffffffff-0000-7000-8000-000000000000', emit_of: null, pending_of: null },
    found: 'events',
  }),
  breach('M34', 'deliveries', 'of no event', {
    of: { status: 'succeeded' },
    change: { event: 'evt_test_none' },
    says: 'carries evt_test_none',
  }),
  breach('M34', 'deliveries', 'to no endpoint', { change: { endpoint: 'we_test_none' } }),
  breach('M34', 'deliveries', 'emitted of no event', { of: { origin: 'emit' }, change: { emit_of: null } }),
  breach('M34', 'deliveries', 'sent again as the first', {
    of: { origin: 'emit' },
    change: { origin: 'resend' },
  }),
  breach('M35', 'deliveries', 'pending and never attempted again', {
    of: { status: 'pending' },
    change: { next_attempt_at: null },
  }),
  breach('M35', 'deliveries', 'over and attempted again', {
    of: { status: 'succeeded' },
    change: { next_attempt_at: far_off },
  }),
  breach('M35', 'deliveries', 'over and leased', {
    of: { status: 'succeeded' },
    change: { lease_until: far_off },
  }),
  breach('M35', 'deliveries', 'attempted at no time', {
    of: { status: 'succeeded' },
    change: { last_attempt_at: null },
  }),
  breach('M36', 'deliveries', 'that succeeded with an error', {
    of: { status: 'succeeded' },
    change: { last_error: 'timeout' },
  }),
  breach('M36', 'deliveries', 'pending after a 2xx', {
    of: { status: 'pending', attempt_count: 1 },
    change: { last_error: null, last_response_status: 200 },
  }),
  breach('M36', 'deliveries', 'exhausted after seven attempts', {
    of: { status: 'pending', attempt_count: 1 },
    change: { status: 'exhausted', attempt_count: 7, next_attempt_at: null, pending_of: null },
  }),
  breach('M36', 'deliveries', 'pending after eight attempts', {
    of: { status: 'pending', attempt_count: 1 },
    change: { attempt_count: 8 },
  }),
  breach('M40', 'deliveries', 'pending and not known to be', {
    of: { status: 'pending' },
    change: { pending_of: null },
  }),
  breach('M40', 'deliveries', 'over that stops others', {
    of: { status: 'succeeded' },
    change: ({ event }) => ({ pending_of: event }),
  }),
  breach('M53', 'deliveries', 'due for years', {
    of: { status: 'pending' },
    change: { next_attempt_at: long_ago },
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
  breach('M41', 'webhook_endpoints', 'in no place', { of: { listed: true }, change: { slot: null } }),
  breach('M41', 'webhook_endpoints', 'in a place before the first', {
    of: { listed: true },
    change: { slot: 0 },
  }),
  breach('M53', 'webhook_endpoints', 'due for years', { change: { due_at: long_ago } }),
  breach('M53', 'webhook_endpoints', 'put off for years', { change: { due_at: far_off } }),
  breach('M41', 'webhook_endpoints', 'in a place that there is not', {
    of: { listed: true },
    change: { slot: 17 },
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
  breach('M53', 'sync_runs', 'over and due', { change: { status: 'completed' } }),
  breach('M53', 'sync_runs', 'put off for years', { change: { due_at: far_off } }),
  breach('M47', 'sync_runs', 'of a connection that is not there', { change: { connection: 'none' } }),
  breach('M47', 'ledger_invoices', 'of a connection that is not there', { change: { connection: 'none' } }),
  breach('M47', 'ledger_invoices', 'of an invoice that is not there', { copy: { id: nobody } }),
]
