import { cardsOnly, type ErrorCase } from './error-case.ts'
import { checkout, newCheckout } from './purchases.ts'
import { openShop } from './shop.ts'

/** What a page that `token` was paid on answers to an early expiry. */
async function expirePaidWith(token: string) {
  const shop = await openShop({ testHelpers: true })
  const { id } = await newCheckout(shop)
  await shop.send('POST', `/test-helpers/checkout-sessions/${id}/pay`, { body: { token } })
  return shop.send('POST', `/checkout-sessions/${id}/expire`)
}

export const checkoutErrorCases: readonly ErrorCase[] = [
  [
    'checkout_sessions.create',
    'resource_missing',
    ({ send }) => send('POST', '/checkout-sessions', { body: { ...checkout, customer: 'nobody' } }),
  ],
  [
    'checkout_sessions.create',
    'payment_provider_not_configured',
    (shop) =>
      cardsOnly(shop, '/checkout-sessions', {
        body: { ...checkout, payment_method_types: ['us_bank_account'] },
      }),
  ],
  ['checkout_sessions.retrieve', 'resource_missing', ({ send }) => send('GET', '/checkout-sessions/x')],
  ['checkout_sessions.expire', 'resource_missing', ({ send }) => send('POST', '/checkout-sessions/x/expire')],
  ['checkout_sessions.expire', 'conflict', () => expirePaidWith('tok_test_visa')],
  [
    'checkout_sessions.expire',
    'checkout_session_payment_in_flight',
    () => expirePaidWith('tok_test_unknown_approved'),
  ],
  ['invoices.retrieve', 'resource_missing', ({ send }) => send('GET', '/invoices/x')],
  ['customers.retrieve', 'resource_missing', ({ send }) => send('GET', '/customers/x')],
]
