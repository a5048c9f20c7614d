import { breach, far_off, long_ago, nothing } from './breach.ts'

export const refunds = [
  breach('M14', 'refunds', 'pending, and its payment free for another', {
    of: { status: 'pending' },
    change: { pending_of: null },
  }),
  breach('M16', 'refunds', 'of a payment that is not there', {
    of: { status: 'failed' },
    change: { payment: nothing },
  }),
  breach('M14', 'refunds', 'over, and its payment free for no other', {
    of: { status: 'succeeded' },
    change: ({ payment }) => ({ pending_of: payment }),
  }),
  breach('M13', 'refunds', 'of more than its payment', {
    of: { status: 'failed' },
    change: { amount: 1001 },
  }),
  breach('M16', 'payments', 'that was refunded and never succeeded', {
    of: { refunds_succeeded: 400 },
    change: { succeeded_at: null },
    found: 'refunds',
  }),
  breach('M16', 'payments', 'that had come back when it was refunded', {
    of: { refunds_succeeded: 400 },
    change: { returned_at: long_ago },
    found: 'refunds',
  }),
  breach('M16', 'payments', 'that succeeded long after it was refunded', {
    of: { refunds_succeeded: 400 },
    change: { succeeded_at: far_off, changed_at: far_off },
    found: 'refunds',
  }),
  breach('M19', 'refunds', 'that failed before it was made', {
    of: { status: 'failed' },
    change: { failed_at: long_ago },
  }),
  breach('M19', 'refunds', 'that succeeded before it was made', {
    of: { status: 'succeeded' },
    change: { succeeded_at: long_ago },
  }),
  breach('M18', 'refunds', 'in another currency', {
    of: { status: 'succeeded' },
    change: { currency: 'CAD' },
  }),
  breach('M18', 'refunds', 'of nothing', { change: { amount: 0 }, only: 'memory' }),
  breach('M19', 'refunds', 'unlisted', {
    of: { status: 'succeeded' },
    change: { listed: false },
  }),
  breach('M19', 'refunds', 'listed before anything is known of it', {
    of: { status: 'pending' },
    change: { status: null },
  }),
  breach('M19', 'refunds', 'failed at no time', { of: { status: 'failed' }, change: { failed_at: null } }),
  breach('M19', 'refunds', 'failed that had succeeded', {
    of: { status: 'failed' },
    change: ({ failed_at }) => ({ succeeded_at: failed_at }),
  }),
  breach('M19', 'refunds', 'succeeded that had failed', {
    of: { status: 'succeeded' },
    change: ({ succeeded_at }) => ({ failed_at: succeeded_at }),
  }),
  breach('M19', 'refunds', 'succeeded with a reason why it failed', {
    of: { status: 'succeeded' },
    change: { failure: { code: 'declined', message: 'No.' } },
  }),
  breach('M19', 'refunds', 'succeeded at no time', {
    of: { status: 'succeeded' },
    change: { succeeded_at: null },
  }),
  breach('M19', 'refunds', 'failed without a reason', {
    of: { status: 'failed' },
    change: { failure: null },
  }),
  breach('M31', 'events', 'of a refund twice', {
    of: { type: 'refund.failed' },
    copy: { id: 'evt_test_zzzzzzzzzzzzzzzzzzzzzzzz' },
    found: 'refunds',
  }),
  breach('M31', 'events', 'of a second end of a refund', {
    of: { type: 'refund.succeeded' },
    copy: { id: 'evt_test_zzzzzzzzzzzzzzzzzzzzzzzz', type: 'refund.failed' },
    found: 'refunds',
  }),
  breach('M53', 'refunds', 'pending and never asked about', {
    of: { status: 'pending' },
    change: { due_at: null },
  }),
  breach('M53', 'refunds', 'over and due', {
    of: { status: 'succeeded' },
    change: { due_at: far_off },
    says: 'is succeeded',
  }),
  breach('M53', 'refunds', 'due for years', { of: { status: 'pending' }, change: { due_at: long_ago } }),
  breach('M53', 'refunds', 'put off for years', { of: { status: 'pending' }, change: { due_at: far_off } }),
  breach('M30', 'events', 'of a refund lost', {
    of: { type: 'refund.succeeded' },
    remove: true,
    found: 'refunds',
  }),
]
