import type { SuiteRequest } from './requests.ts'

/** What a host keeps of these by itself differs: the first, the last, or all. */
export const repeated_headers: readonly SuiteRequest[] = [
  {
    name: 'two keys',
    method: 'GET',
    path: '/account',
    headers: [['Authorization', 'Bearer sk_test_unknown']],
  },
  { name: 'a key twice', method: 'GET', path: '/account', headers: [['Authorization', 'Bearer {secret}']] },
  {
    name: 'two content types',
    method: 'POST',
    path: '/payment-method-sessions',
    headers: [
      ['Content-Type', 'application/json'],
      ['Content-Type', 'text/plain'],
    ],
    body: '{}',
  },
  {
    name: 'two Idempotency-Keys',
    method: 'POST',
    path: '/payments',
    headers: [
      ['Idempotency-Key', 'a'],
      ['Idempotency-Key', 'b'],
    ],
    body: '{"amount":1000,"currency":"usd","payment_method_session":"{confirmed}"}',
  },
]
