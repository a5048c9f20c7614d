import { breach, far_off, long_ago, nobody, nothing } from './breach.ts'

export const payments = [
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
  breach('M6', 'payments', 'that succeeded before it was made', {
    of: { status: 'succeeded' },
    change: { succeeded_at: long_ago },
  }),
  breach('M6', 'payments', 'that failed before it was made', {
    of: { status: 'failed' },
    change: { failed_at: long_ago },
  }),
  breach('M6', 'payments', 'that succeeds in years', {
    of: { status: 'succeeded' },
    change: { succeeded_at: far_off },
  }),
  breach('M6', 'payments', 'that succeeded at no time that there is', {
    of: { status: 'succeeded' },
    change: { succeeded_at: 'yesterday' },
    only: 'memory',
  }),
  breach('M6', 'payments', 'that came back before it succeeded', {
    of: { status: 'returned' },
    change: { returned_at: long_ago },
  }),
  breach('M10', 'payment_methods', 'charged when it was over', {
    of: { status: 'consumed' },
    change: { expires_at: long_ago },
    found: 'payments',
  }),
  breach('M7', 'payments', 'failed without evidence', {
    of: { status: 'failed' },
    change: { evidence: null },
  }),
  breach('M7', 'payments', 'that succeeded and was not found', {
    of: { status: 'succeeded' },
    change: { evidence: 'not_found' },
  }),
  breach('M7', 'payments', 'refused, and said to have reached nobody', {
    of: { status: 'failed', evidence: 'answer' },
    change: ({ failure }) => ({ failure: failure && { ...failure, code: 'processor_unreachable' } }),
  }),
  breach('M7', 'payments', 'failed without a reason', {
    of: { status: 'failed' },
    change: { failure: null },
  }),
  breach('M7', 'payments', 'that succeeded with a reason why it failed', {
    of: { status: 'succeeded' },
    change: { failure: { code: 'declined', message: 'No.', decline_code: 'a', return_code: null } },
  }),
  breach('M8', 'payment_methods', 'charged and active', {
    of: { status: 'consumed' },
    change: { status: 'active' },
    found: 'payments',
  }),
  breach('M8', 'payments', 'by a method that another one has spent', {
    of: { payment_method_type: 'card', status: 'succeeded' },
    copy: { id: 'pay_test_zzzzzzzzzzzzzzzzzzzzzzzz' },
    found: 'payment_methods',
  }),
  breach('M9', 'payments', 'of a method that is not there', { change: { payment_method: 'pm_test_none' } }),
  breach('M9', 'payment_methods', 'of another customer than its payment', {
    of: { status: 'consumed' },
    change: { customer: nobody },
    found: 'payments',
  }),
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
  breach('M53', 'payments', 'put off for years', {
    of: { status: 'processing' },
    change: { due_at: far_off },
  }),
  breach('M53', 'payments', 'due for years', { of: { status: 'processing' }, change: { due_at: long_ago } }),
]

export const refunds = [
  breach('M14', 'refunds', 'pending, and its payment free for another', {
    of: { status: 'pending' },
    change: { pending_of: null },
  }),
  breach('M16', 'refunds', 'of a payment that is not there', {
    of: { status: 'failed' },
    change: { payment: nothing },
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
