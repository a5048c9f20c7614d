import { cardsOnly, type ErrorCase } from './error-case.ts'
import {
  ach_authorization,
  billing_details,
  confirmation,
  confirmedSession,
  confirmPath,
  newMethod,
  newPayment,
  newSession,
} from './purchases.ts'
import type { Reply, Shop } from './shop.ts'

const bankAccount = { us_bank_account: { token: 'btok_test_success' }, billing_details }

const openSession = (shop: Shop, body: object = {}) => shop.send('POST', '/payment-method-sessions', { body })

const newMethodOf = (shop: Shop, payment_method_session: string) =>
  shop.send('POST', '/payment-methods', { body: { payment_method_session } })

async function confirm(shop: Shop, token: string, body: object = confirmation(token)): Promise<Reply> {
  return shop.send('POST', confirmPath(await newSession(shop, { token })), {
    key: shop.keys.publishable,
    body,
  })
}

const sessions: ErrorCase[] = [
  ['payment_method_sessions.create', 'resource_missing', (shop) => openSession(shop, { customer: 'nobody' })],
  [
    'payment_method_sessions.create',
    'payment_provider_not_configured',
    (shop) =>
      cardsOnly(shop, '/payment-method-sessions', {
        body: { payment_method_types: ['us_bank_account'], amount: 500, currency: 'USD' },
      }),
  ],
  [
    'payment_method_sessions.cancel',
    'resource_missing',
    (shop) => shop.send('POST', '/payment-method-sessions/x/cancel'),
  ],
  [
    'payment_method_sessions.cancel',
    'payment_method_session_inactive',
    async (shop) => shop.send('POST', `/payment-method-sessions/${(await confirmedSession(shop)).id}/cancel`),
  ],
  [
    'payment_method_sessions.retrieve',
    'resource_missing',
    (shop) => shop.send('GET', '/payment-method-sessions/x'),
  ],
]

const confirms: ErrorCase[] = [
  [
    'payment_method_sessions.confirm',
    'resource_missing',
    ({ send, keys }) =>
      send('POST', '/payment-method-sessions/x/confirm?client_secret=x', { key: keys.publishable, body: {} }),
  ],
  ['payment_method_sessions.confirm', 'parameter_invalid', (shop) => confirm(shop, 'tok_nothing')],
  [
    'payment_method_sessions.confirm',
    'card_verification_failed',
    (shop) => confirm(shop, 'tok_test_incorrect_cvc'),
  ],
  ['payment_method_sessions.confirm', 'card_expired', (shop) => confirm(shop, 'tok_test_expired')],
  [
    'payment_method_sessions.confirm',
    'bank_account_verification_failed',
    (shop) => confirm(shop, 'btok_test_verification_fails'),
  ],
  [
    'payment_method_sessions.confirm',
    'ach_authorization_required',
    (shop) =>
      confirm(shop, 'btok_test_success', {
        ...bankAccount,
        ach_authorization: { ...ach_authorization, accepted: false },
      }),
  ],
  [
    'payment_method_sessions.confirm',
    'ach_terms_version_unsupported',
    (shop) =>
      confirm(shop, 'btok_test_success', {
        ...bankAccount,
        ach_authorization: { ...ach_authorization, terms_version: '1999-12' },
      }),
  ],
  [
    'payment_method_sessions.confirm',
    'payment_method_session_inactive',
    async (shop) => {
      const session = await confirmedSession(shop)
      const body = confirmation('tok_test_mastercard')
      return shop.send('POST', confirmPath(session), { key: shop.keys.publishable, body })
    },
  ],
  [
    'payment_method_sessions.confirm',
    'payment_provider_not_configured',
    async (shop) => {
      const path = confirmPath(await newSession(shop, { token: 'btok_test_success' }))
      return cardsOnly(shop, path, { key: shop.keys.publishable, body: confirmation('btok_test_success') })
    },
  ],
]

const methods: ErrorCase[] = [
  ['payment_methods.create', 'resource_missing', (shop) => newMethodOf(shop, 'nobody')],
  [
    'payment_methods.create',
    'payment_method_session_inactive',
    async (shop) => newMethodOf(shop, (await newSession(shop)).id),
  ],
  [
    'payment_methods.create',
    'payment_method_session_used',
    async (shop) => newMethodOf(shop, String((await newMethod(shop)).session)),
  ],
  ['payment_methods.retrieve', 'resource_missing', ({ send }) => send('GET', '/payment-methods/x')],
  ['payment_methods.detach', 'resource_missing', ({ send }) => send('POST', '/payment-methods/x/detach')],
  [
    'payment_methods.detach',
    'payment_method_unusable',
    async (shop) => shop.send('POST', `/payment-methods/${(await newPayment(shop)).payment_method}/detach`),
  ],
]

export const sessionErrorCases: readonly ErrorCase[] = [...sessions, ...confirms, ...methods]
