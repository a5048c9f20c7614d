import { breach, far_off, long_ago, nobody, nothing } from './breach.ts'

export const collected = [
  breach('M9', 'payment_method_sessions', 'that yielded the method of another', {
    of: { status: 'succeeded' },
    change: { payment_method: 'pm_test_none' },
  }),
  breach('M9', 'payment_methods', 'of a session that does not know it', {
    change: { session: 'pms_test_none' },
  }),
  breach('M47', 'payment_methods', 'of a customer of somebody else', {
    of: { usage: 'saved' },
    change: { customer: nobody },
  }),
  breach('M47', 'payment_method_sessions', 'of a customer of somebody else', {
    change: { customer: nobody },
  }),
  breach('M10', 'payment_method_sessions', 'succeeded at no time', {
    of: { status: 'succeeded' },
    change: { succeeded_at: null },
  }),
  breach('M10', 'payment_method_sessions', 'that succeeded when it was over', {
    of: { status: 'succeeded' },
    change: ({ succeeded_at }) => ({ expires_at: succeeded_at ?? long_ago }),
  }),
  breach('M11', 'payment_method_sessions', 'whose authorization is gone', {
    of: { token: 'btok_test_success' },
    change: { ach_authorization: null },
    found: 'payment_methods',
  }),
  breach('M11', 'payment_methods', 'that may be charged with more than was authorized', {
    of: { type: 'us_bank_account', usage: 'one_time' },
    change: { authorized_amount: 99_999 },
  }),
  breach('M5', 'payment_methods', 'that may be charged with anything', {
    of: { type: 'us_bank_account', usage: 'one_time' },
    change: { authorized_amount: null },
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
  breach('M9', 'payment_methods', 'with another token than its session', { change: { token: 'another' } }),
  breach('M53', 'payment_methods', 'for one charge that never expires', {
    of: { usage: 'one_time', status: 'active' },
    change: { due_at: null },
  }),
  breach('M53', 'payment_methods', 'that expires at no time that there is', {
    of: { usage: 'one_time', status: 'active' },
    change: { expires_at: 'never' },
    only: 'memory',
  }),
  breach('M53', 'payment_method_sessions', 'open for ever', {
    of: { status: 'requires_payment_method' },
    change: { due_at: null },
  }),
]

export const sold = [
  breach('M5', 'checkout_sessions', 'of another amount than its payment', {
    of: { status: 'complete' },
    change: { amount: 999 },
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
  breach('M23', 'invoices', 'paid with less than its total', {
    of: { amount_paid: 400, status: 'open' },
    change: { status: 'paid' },
  }),
  breach('M21', 'invoices', 'paid in another currency', {
    of: { amount_paid: 400 },
    change: { currency: 'CAD' },
  }),
  breach('M25', 'invoices', 'of less than was paid', { of: { amount_paid: 400 }, change: { total: 399 } }),
  breach('M47', 'invoices', 'of a customer of somebody else', { change: { customer: nobody } }),
  breach('M26', 'checkout_sessions', 'complete before it was made', {
    of: { status: 'complete' },
    change: { completed_at: long_ago },
  }),
  breach('M29', 'checkout_sessions', 'paid when it was over', {
    of: { status: 'complete' },
    change: { expires_at: long_ago },
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
]
