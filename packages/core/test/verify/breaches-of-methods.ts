import { shifted } from '../../src/schema/timestamps.ts'
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
  breach('M10', 'payment_method_sessions', 'that succeeded without a token', {
    of: { status: 'succeeded' },
    change: { token: null },
  }),
  breach('M10', 'payment_method_sessions', 'canceled with a token', {
    of: { status: 'canceled' },
    change: { token: 'tok_test_visa' },
  }),
  breach('M10', 'payment_method_sessions', 'canceled at no time', {
    of: { status: 'canceled' },
    change: { canceled_at: null },
  }),
  breach('M10', 'payment_method_sessions', 'canceled that had succeeded', {
    of: { status: 'canceled' },
    change: ({ canceled_at }) => ({ succeeded_at: canceled_at }),
  }),
  breach('M10', 'payment_method_sessions', 'that succeeded and had been canceled', {
    of: { status: 'succeeded' },
    change: ({ succeeded_at }) => ({ canceled_at: succeeded_at }),
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
  breach('M8', 'payment_methods', 'for one charge that never expires', {
    of: { usage: 'one_time' },
    change: { expires_at: null },
  }),
  breach('M8', 'payment_methods', 'saved that expires', {
    of: { usage: 'saved' },
    change: { expires_at: far_off },
  }),
  breach('M8', 'payment_methods', 'for one charge of a customer', {
    of: { usage: 'one_time' },
    change: { customer: nobody },
  }),
  breach('M8', 'payment_methods', 'spent and held', {
    of: { status: 'consumed' },
    change: { charging_payment: nothing },
    says: 'is consumed',
  }),
  breach('M8', 'payments', 'over that holds its method', {
    of: { status: 'processing' },
    change: { status: 'succeeded' },
    found: 'payment_methods',
  }),
  breach('M8', 'payment_methods', 'held by a charge that is not there', {
    of: { status: 'active' },
    change: { charging_payment: nothing },
  }),
  breach('M9', 'payment_methods', 'with another token than its session', { change: { token: 'another' } }),
  breach('M9', 'payment_methods', 'of another customer than its session', { change: { customer: nobody } }),
  breach('M9', 'payment_methods', 'with another card than its session', {
    of: { type: 'card' },
    change: ({ card }) => ({ card: card && { ...card, last4: '0000' } }),
  }),
  breach('M9', 'payment_methods', 'with another bank account than its session', {
    of: { type: 'us_bank_account' },
    change: ({ us_bank_account: account }) => ({ us_bank_account: account && { ...account, last4: '0000' } }),
  }),
  breach('M53', 'payment_methods', 'for one charge that never expires', {
    of: { usage: 'one_time', status: 'active' },
    change: { due_at: null },
  }),
  breach('M53', 'payment_methods', 'for one charge that expires late', {
    of: { usage: 'one_time', status: 'active', charging_payment: null },
    change: ({ due_at }) => ({ due_at: shifted(due_at ?? long_ago, 1) }),
  }),
  breach('M53', 'payment_methods', 'saved and due', {
    of: { usage: 'saved' },
    change: { due_at: far_off },
  }),
  breach('M53', 'payment_methods', 'due for years', {
    of: { usage: 'one_time', status: 'active', charging_payment: null },
    change: { due_at: long_ago },
    says: 'has been due',
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
  breach('M53', 'payment_method_sessions', 'over and due', {
    of: { status: 'succeeded' },
    change: ({ expires_at }) => ({ due_at: expires_at }),
    says: 'is succeeded',
  }),
  breach('M53', 'payment_method_sessions', 'due for years', {
    of: { status: 'requires_payment_method' },
    change: { due_at: long_ago },
    says: 'has been due',
  }),
]
