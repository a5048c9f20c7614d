import type { ErrorCase } from './error-case.ts'
import { newPayment, newRefund } from './purchases.ts'
import { fresh, openShop, type Shop } from './shop.ts'

const refund = (shop: Shop, body: object) => shop.send('POST', '/refunds', { body, headers: fresh() })

export const refundErrorCases: readonly ErrorCase[] = [
  [
    'refunds.create',
    'refunds_disabled',
    async ({ engine, newKey, send }) => {
      const { id } = await engine.admin.workspaces.create({ name: 'Kept', refunds_enabled: false })
      const { key } = await newKey({ workspace: id, livemode: false })
      // Before the Idempotency-Key, which is missing, is looked at.
      return send('POST', '/refunds', { key, body: {} })
    },
  ],
  ['refunds.create', 'resource_missing', (shop) => refund(shop, { payment: 'nobody' })],
  [
    'refunds.create',
    'payment_provider_not_configured',
    async (shop) => {
      const { id: payment } = await newPayment(shop)
      const bare = await openShop({ store: shop.store, processors: {} })
      return bare.send('POST', '/refunds', { key: shop.keys.secret, body: { payment }, headers: fresh() })
    },
  ],
  [
    'refunds.create',
    'payment_not_refundable',
    async (shop) => refund(shop, { payment: (await newPayment(shop, { token: 'btok_test_success' })).id }),
  ],
  [
    'refunds.create',
    'refund_in_flight',
    async (shop) =>
      refund(shop, { payment: (await newRefund(shop, { token: 'tok_test_refund_pending' })).payment }),
  ],
  [
    'refunds.create',
    'refund_amount_exceeds_balance',
    async (shop) => refund(shop, { payment: (await newRefund(shop)).payment, amount: 401 }),
  ],
  [
    'refunds.create',
    'refund_failed',
    async (shop) =>
      refund(shop, { payment: (await newPayment(shop, { token: 'tok_test_refund_refused' })).id }),
  ],
  ['refunds.retrieve', 'resource_missing', ({ send }) => send('GET', '/refunds/x')],
]
