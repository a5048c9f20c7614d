import { receiverTorture } from '@quittance/testing'
import { expect, it } from 'vitest'
import { openShop } from './shop-process.ts'

it.each(['express', 'fastify'])(
  'the webhook receiver of the shop on %s can be trusted with money',
  async (example) => {
    const shop = await openShop(example)
    const [secret] = await shop.rows<{ value: string }>(
      `SELECT value FROM shop_settings WHERE name = 'webhook_secret'`,
    )
    const findings = await receiverTorture({
      handler: `${shop.origin}/webhooks`,
      secret: secret?.value ?? '',
      // As the shop writes it when its page is completed, in the same transaction.
      async reference({ payment }) {
        const order = {
          method: 'POST',
          body: new URLSearchParams({ item: 'tea' }),
          redirect: 'manual',
        } as const
        await fetch(`${shop.origin}/orders`, order)
        const [placed] = await shop.rows<{ id: string }>(
          `UPDATE shop_orders SET payment = '${payment}' WHERE payment IS NULL RETURNING id`,
        )
        return placed?.id ?? ''
      },
      effects: ({ reference }) =>
        shop.rows(`SELECT item, amount, status FROM shop_orders WHERE id = '${reference}'`),
    })
    expect(findings).toEqual([])
    expect(shop.log()).not.toContain(secret?.value)
  },
)
