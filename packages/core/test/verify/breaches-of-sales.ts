import { breach, far_off, long_ago, nobody, nothing } from './breach.ts'

export const sold = [
  breach('M5', 'checkout_sessions', 'of another amount than its payment', {
    of: { status: 'complete' },
    change: { amount: 999 },
  }),
  breach('M5', 'checkout_sessions', 'in another currency than its payment', {
    of: { status: 'complete' },
    change: { currency: 'CAD' },
  }),
  breach('M48', 'checkout_sessions', 'of nothing', {
    of: { status: 'open' },
    change: { amount: 0 },
    only: 'memory',
  }),
  breach('M47', 'checkout_sessions', 'of a customer of somebody else', { change: { customer: nobody } }),
  breach('M26', 'checkout_sessions', 'complete without a payment', {
    of: { status: 'complete' },
    change: { payment: null },
  }),
  breach('M26', 'checkout_sessions', 'open with a payment', {
    of: { status: 'open' },
    change: { payment: nothing },
    says: 'is open and payment is',
  }),
  breach('M26', 'checkout_sessions', 'complete at no time', {
    of: { status: 'complete' },
    change: { completed_at: null },
  }),
  breach('M26', 'checkout_sessions', 'open that was completed', {
    of: { status: 'open' },
    change: ({ created_at }) => ({ completed_at: created_at }),
  }),
  breach('M26', 'checkout_sessions', 'that names a payment of elsewhere', {
    of: { status: 'complete' },
    change: { payment: nothing },
    says: 'was not made on it',
  }),
  breach('M26', 'payments', 'that failed and completed a page', {
    of: ({ status, checkout_session }) => status === 'succeeded' && checkout_session !== null,
    change: { succeeded_at: null },
    found: 'checkout_sessions',
  }),
  breach('M26', 'checkout_sessions', 'open though it was paid', {
    of: { status: 'complete' },
    change: { status: 'open', payment: null, completed_at: null, due_at: '2030-01-01T00:00:00.000Z' },
  }),
  breach('M48', 'invoices', 'with a discount of nothing', {
    change: { early_payment_discount: { amount: 0, until: '2030-01-01', taken_by: null } },
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
  breach('M29', 'payments', 'in flight beside another on its page', {
    of: ({ status, checkout_session }) => status === 'processing' && checkout_session !== null,
    copy: { id: 'pay_test_zzzzzzzzzzzzzzzzzzzzzzzz' },
    found: 'checkout_sessions',
    says: '2 payments in flight',
  }),
  breach('M29', 'checkout_sessions', 'that expired under a payment', {
    of: { status: 'expired' },
    change: { paying: nothing },
    says: 'is expired under',
  }),
  breach('M29', 'checkout_sessions', 'that forgot the payment in flight', {
    of: { status: 'open', due_at: null },
    change: ({ expires_at }) => ({ paying: null, due_at: expires_at }),
  }),
  ...(['total', 'amount_paid', 'amount_pending', 'written_off'] as const).map((term) =>
    breach('M20', 'invoices', `with half a cent of ${term}`, { change: { [term]: 0.5 }, only: 'memory' }),
  ),
  breach('M20', 'invoices', 'of less than nothing', { change: { total: -1 }, only: 'memory' }),
  ...(['failed_at', 'canceled_at', 'returned_at'] as const).map((stamp) =>
    breach('M20', 'payments', `with ${stamp} that has a discount`, {
      of: { source: 'invoice_page', status: 'succeeded', amount: 900 },
      change: { [stamp]: long_ago },
      found: 'invoices',
    }),
  ),
  breach('M20', 'invoices', 'with a discount for a payment that did not pay it', {
    of: { status: 'open' },
    change: { early_payment_discount: { amount: 1, until: '2030-01-01', taken_by: nothing } },
  }),
  breach('M21', 'invoices', 'paid a cent too much', {
    of: { amount_paid: 400 },
    change: { amount_paid: 401 },
  }),
  breach('M21', 'invoices', 'of a ledger, paid with less than was paid here', {
    of: { amount_paid: 1000 },
    change: { amount_paid: 999 },
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
  breach('M23', 'invoices', 'paid with less than its total', {
    of: { amount_paid: 400, status: 'open' },
    change: { status: 'paid' },
    says: 'is paid, with 400 of 1000',
  }),
  breach('M21', 'invoices', 'paid in another currency', {
    of: { amount_paid: 400 },
    change: { currency: 'CAD' },
  }),
  breach('M25', 'invoices', 'of less than was paid', { of: { amount_paid: 400 }, change: { total: 399 } }),
  breach('M25', 'invoices', 'of less than was paid and is pending', {
    of: { amount_paid: 400 },
    change: { total: 499 },
  }),
  breach('M25', 'invoices', 'of less than was paid and written off', {
    of: { written_off: 100 },
    change: { written_off: 101 },
  }),
  breach('M47', 'invoices', 'of a customer of somebody else', { change: { customer: nobody } }),
  breach('M26', 'checkout_sessions', 'complete before it was made', {
    of: { status: 'complete' },
    change: { completed_at: long_ago },
  }),
  breach('M29', 'checkout_sessions', 'paid when it was over', {
    of: { status: 'complete' },
    change: { expires_at: long_ago },
  }),
  breach('M29', 'checkout_sessions', 'paid at the moment when it was over', {
    of: { status: 'complete' },
    change: ({ completed_at }) => ({ expires_at: completed_at ?? long_ago }),
  }),
  breach('M53', 'checkout_sessions', 'due for years', {
    of: { status: 'open', paying: null },
    change: { due_at: long_ago },
    says: 'has been due',
  }),
  breach('M53', 'checkout_sessions', 'open for years', {
    of: { status: 'open', paying: null },
    change: { due_at: far_off },
  }),
  breach('M21', 'invoices', 'paid by the customer of another', {
    of: { amount_paid: 400 },
    change: { customer: nobody },
  }),
  breach('M23', 'invoices', 'canceled though it was paid', {
    of: { status: 'paid', amount_paid: 900 },
    change: { status: 'canceled' },
  }),
  breach('M23', 'invoices', 'drafted though it was paid in part', {
    of: { amount_paid: 400 },
    change: { status: 'draft', listed: false, amount_pending: 0 },
  }),
  breach('M23', 'invoices', 'drafted though a part was written off', {
    of: { written_off: 100 },
    change: { status: 'draft', listed: false, amount_paid: 0 },
  }),
  breach('M23', 'invoices', 'open and unlisted', { of: { status: 'open' }, change: { listed: false } }),
]
