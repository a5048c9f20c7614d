import Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import {
  lastEvent,
  newCheckout,
  newCustomer,
  newEndpoint,
  newInvoice,
  newMethod,
  newPayment,
  newRefund,
} from './purchases.ts'
import { fresh, openShop, refusal, type Shop, withoutRequestId } from './shop.ts'

interface Listed {
  path: string
  /** Makes one more record of the list, and gives its id. */
  create: (shop: Shop, live?: boolean) => Promise<string>
  /** How many records the walks are over: at most 16 endpoints fit. */
  count: number
}

const lists: Listed[] = [
  {
    path: '/payments',
    create: async (shop, live = false) => (await newPayment(shop, { live })).id,
    count: 8,
  },
  {
    path: '/events',
    count: 8,
    async create(shop, live = false) {
      await newPayment(shop, { live })
      return (await lastEvent(shop, { live })).id
    },
  },
  {
    path: '/webhook-endpoints',
    create: async (shop, live = false) => (await newEndpoint(shop, { live })).id,
    count: 8,
  },
  { path: '/refunds', create: async (shop, live = false) => (await newRefund(shop, { live })).id, count: 8 },
  {
    path: '/checkout-sessions',
    create: async (shop, live = false) => (await newCheckout(shop, { live })).id,
    count: 8,
  },
  { path: '/invoices', create: (shop, live = false) => newInvoice(shop, { live }), count: 8 },
  {
    path: '/customers',
    count: 8,
    create: (shop, live = false) =>
      newCustomer(shop, fresh()['idempotency-key'], live ? shop.live : shop.sandbox),
  },
  {
    path: '/payment-methods',
    create: async (shop, live = false) => (await newMethod(shop, { live })).id,
    count: 8,
  },
]

async function make({ create, count }: Listed, shop: Shop): Promise<string[]> {
  const ids: string[] = []
  for (let made = 0; made < count; made += 1) ids.unshift(await create(shop))
  return ids
}

/** The ids of each page, from the first to the last; `between` runs after each page. */
async function walk(
  { send }: Shop,
  path: string,
  limit: number,
  between = async () => {},
): Promise<string[][]> {
  const pages: string[][] = []
  let cursor = ''
  for (;;) {
    const { body } = await send('GET', `${path}?limit=${limit}${cursor}`)
    expect(body.object).toBe('list')
    pages.push(body.data.map(({ id }) => id))
    if (!body.has_more) return pages
    cursor = `&starting_after=${body.data.at(-1)?.id}`
    await between()
  }
}

describe.each(lists)('GET $path', (list) => {
  const { path, create, count } = list

  it.each([1, 3, 100])('is walked to its end, newest first, %s at a time', async (limit) => {
    const shop = await openShop()
    const ids = await make(list, shop)
    const pages = await walk(shop, path, limit)
    expect(pages.flat()).toEqual(ids)
    expect(pages.map((page) => page.length)).toEqual(
      Array.from({ length: Math.ceil(count / limit) }, (_, place) => Math.min(limit, count - place * limit)),
    )
  })

  it.each([1, 3])('shifts no page already read while records are created, %s at a time', async (limit) => {
    const shop = await openShop()
    const ids = await make(list, shop)
    expect((await walk(shop, path, limit, async () => void (await create(shop)))).flat()).toEqual(ids)
  })

  it('gives an empty last page no further one, and an empty list no page', async () => {
    const shop = await openShop()
    expect((await shop.send('GET', path)).text).toBe('{"object":"list","data":[],"has_more":false}')
    const id = await create(shop)
    const after = await shop.send('GET', `${path}?starting_after=${id}`)
    expect(after.text).toBe('{"object":"list","data":[],"has_more":false}')
  })

  it('holds 20 by default', async () => {
    if (path === '/webhook-endpoints') {
      // Sixteen is all there can be.
      const shop = await openShop()
      for (let made = 0; made < 16; made += 1) await create(shop)
      const { data, has_more } = (await shop.send('GET', path)).body
      expect([data.length, has_more]).toEqual([16, false])
      return
    }
    const shop = await openShop()
    for (let made = 0; made < 21; made += 1) await create(shop)
    const { data, has_more } = (await shop.send('GET', path)).body
    expect([data.length, has_more]).toEqual([20, true])
  })

  it('refuses a cursor of another workspace, of the other environment, of another list and of nothing alike', async () => {
    const shop = await openShop()
    const other = await openShop({ store: shop.store })
    await create(shop)
    const elsewhere = lists.find((another) => another.path !== path && another.path !== '/events') ?? list
    const cursors = [
      await create(shop, true),
      await create(other),
      await create(other, true),
      await elsewhere.create(shop),
      'nobody',
      `pay_test_${'z'.repeat(24)}`,
      '__proto__',
    ]
    const answers = new Set<string>()
    for (const cursor of cursors) {
      const reply = await shop.send('GET', `${path}?starting_after=${cursor}`)
      expect([cursor, refusal(reply)]).toEqual([
        cursor,
        { status: 400, code: 'parameter_invalid', param: 'starting_after' },
      ])
      answers.add(withoutRequestId(reply))
    }
    expect(answers.size).toBe(1)
  })

  it('shows nothing of another workspace or of the other environment', async () => {
    const shop = await openShop()
    const other = await openShop({ store: shop.store })
    const own = await create(shop)
    const live = await create(shop, true)
    await create(other)
    await create(other, true)
    expect((await shop.send('GET', path)).body.data.map(({ id }) => id)).toEqual([own])
    const in_live = await shop.send('GET', path, { key: shop.keys.live })
    expect(in_live.body.data.map(({ id }) => id)).toEqual([live])
  })
})

describe('a filter', () => {
  it('is walked like the whole list, from any cursor of the list', async () => {
    const shop = await openShop()
    const declined = async () => {
      await newPayment(shop, { token: 'tok_test_declined' }).catch(() => undefined)
      return (await shop.send('GET', '/payments?limit=1')).body.data[0]?.id
    }
    const [one, two] = [await declined(), await declined()]
    const paid = await newPayment(shop)
    const three = await declined()
    expect((await walk(shop, '/payments', 100)).flat()).toEqual([three, paid.id, two, one])
    const failed = await shop.send('GET', '/payments?status=failed&limit=2')
    expect([failed.body.data.map(({ id }) => id), failed.body.has_more]).toEqual([[three, two], true])
    // The cursor need not match the filter.
    const after = await shop.send('GET', `/payments?status=failed&starting_after=${paid.id}`)
    expect([after.body.data.map(({ id }) => id), after.body.has_more]).toEqual([[two, one], false])
    const events = await shop.send('GET', '/events?type=payment.failed&limit=1')
    expect([events.body.data[0]?.type, events.body.has_more]).toEqual(['payment.failed', true])
  })
})

describe('a client library written for another service', () => {
  it('walks GET /v1/events to the end by itself', async () => {
    const shop = await openShop()
    for (let made = 0; made < 7; made += 1) await newPayment(shop)
    const stripe = new Stripe(shop.keys.secret, { host: '127.0.0.1', port: shop.port, protocol: 'http' })
    const seen: string[] = []
    for await (const event of stripe.events.list({ limit: 2 })) seen.push(event.id)
    expect(seen).toEqual((await walk(shop, '/events', 100)).flat())
    expect(seen).toHaveLength(7)
  })

  it('reads our errors as its own', async () => {
    const shop = await openShop()
    const stripe = new Stripe(shop.keys.secret, { host: '127.0.0.1', port: shop.port, protocol: 'http' })
    const missing = stripe.events.retrieve('evt_test_nothing')
    await expect(missing).rejects.toMatchObject({
      statusCode: 404,
      code: 'resource_missing',
      type: 'StripeInvalidRequestError',
      requestId: expect.stringMatching(/^req_/),
    })
  })
})
