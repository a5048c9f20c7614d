import { breach, far_off, long_ago, nobody } from './breach.ts'

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
  breach('M6', 'payments', 'authorized', {
    of: { status: 'succeeded' },
    change: { status: 'authorized' },
    says: 'every charge is a sale',
  }),
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
    says: 'came back at',
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
  breach('M7', 'payments', 'returned without a reason', {
    of: { status: 'returned' },
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
  breach('M9', 'payments', 'of a card by the method of a bank account', {
    of: { payment_method_type: 'us_bank_account' },
    change: { payment_method_type: 'card' },
  }),
  breach('M13', 'payments', 'that says that more was given back than taken', {
    of: { status: 'succeeded', amount: 1000 },
    change: { amount_refunded: 1001 },
    says: 'is refunded with 1001',
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
  breach('M14', 'refunds', 'not yet asked for beside one that is pending', {
    of: { status: 'pending' },
    copy: { id: 're_test_zzzzzzzzzzzzzzzzzzzzzzzz', pending_of: null, status: null },
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
  breach('M30', 'payments', 'that never said that it is processing', {
    of: { status: 'processing' },
    copy: { id: 'pay_test_zzzzzzzzzzzzzzzzzzzzzzzz' },
  }),
  breach('M30', 'events', 'of an end that its payment did not come to', {
    of: { type: 'payment.processing' },
    change: { type: 'payment.canceled' },
    found: 'payments',
    says: 'canceled_at is null',
  }),
  breach('M31', 'payments', 'announced and still an intent', {
    of: { status: 'processing' },
    change: { status: null, listed: false },
    says: 'is an intent',
  }),
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
  breach('M47', 'payments', 'on an invoice of somebody else', {
    of: { invoice: null },
    change: { invoice: nobody },
  }),
  breach('M47', 'payments', 'on a page of somebody else', {
    of: { checkout_session: null },
    change: { checkout_session: 'cs_test_none' },
  }),
  breach('M48', 'payments', 'of half a cent', { change: { amount: 10.5 }, only: 'memory' }),
  breach('M48', 'payments', 'of nothing', { change: { amount: 0 }, only: 'memory' }),
  breach('M53', 'payments', 'over and due', {
    of: { status: 'succeeded' },
    change: { due_at: far_off },
    says: 'is succeeded',
  }),
  breach('M53', 'payments', 'due at no time that there is', {
    of: { status: 'processing' },
    change: { due_at: 'never' },
    only: 'memory',
  }),
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
