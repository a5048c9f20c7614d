import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { signatureHeader } from '@quittance/webhooks'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { testDatabase } from '../../packages/store-postgres/test/database.ts'
import { describeOnRedis, findRedis } from '../../packages/webhooks/test/redis-server.ts'
import { buy, openBank, openShop, type ShopPlace } from './shop-process.ts'

const redis = await findRedis()
afterAll(() => redis?.close())

describe.each(['express', 'fastify'])('the shop on %s', (example) => {
  describe('with SQLite', () => sells(example, () => ({})))

  it('stops on SIGTERM, also while a browser keeps a connection on which it has asked nothing', async () => {
    const shop = await openShop(example)
    const { hostname, port } = new URL(shop.origin)
    const ahead = connect(Number(port), hostname).on('error', () => {})
    await once(ahead, 'connect')
    expect(await shop.stop()).toBe(0)
  })

  it('tells clients that keep their connections and have no pause to close them, and cuts off none of their requests', async () => {
    const shop = await openShop(example)
    const told = Array.from({ length: 8 }, async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      while ((await connectionOf(shop.origin, agent)) !== 'close');
    })
    expect(await shop.stop()).toBe(0)
    await Promise.all(told)
  })

  describe('with Postgres', () => {
    const database = testDatabase()
    const on_postgres = () => ({ DATABASE_URL: database().connectionString })
    sells(example, on_postgres)
    describeOnRedis('and Redis', redis !== null, () => {
      it('sells what it sells without', async () => {
        const shop = await openShop(example, {
          environment: { ...on_postgres(), REDIS_URL: redis?.url ?? '' },
        })
        const { order_url } = await buy(shop, 'tea')
        await shop.logged('event taken')
        expect(await (await fetch(order_url)).text()).toContain('tea, $12.50: paid')
        expect(await shop.stop()).toBe(0)
      })
    })
  })
})

/** What a response says of its connection. */
function connectionOf(url: string, agent: Agent): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (res) => res.resume().once('end', () => resolve(res.headers.connection))).once(
      'error',
      reject,
    )
  })
}

function sells(example: string, environment: () => ShopPlace['environment']) {
  const open = () => openShop(example, { environment: environment() })
  it('sells tea: an order, its payment on the hosted page, and the webhook that says it is paid', async () => {
    const shop = await open()
    const bought = await buy(shop, 'tea')
    await shop.logged('event taken')
    expect(await (await fetch(bought.order_url)).text()).toContain('tea, $12.50: paid')
    const reference = bought.order_url.split('/').at(-1)
    const payments = await shop.rows<{ amount: number | string }>(
      `SELECT amount FROM quittance_payments WHERE id = (SELECT payment FROM shop_orders WHERE id = '${reference}')`,
    )
    expect(payments.map(({ amount }) => Number(amount))).toEqual([1250])
  })

  it('has not sold what a bank debit is to pay until it is settled, nor once it is refused or comes back', async () => {
    const shop = await open()
    const bank = await openBank(shop)
    const reads = (order_url: string, text: string) =>
      vi.waitFor(async () => expect(await (await fetch(order_url)).text()).toContain(text), 60_000)

    const tea = await buy(shop, 'tea', 'debit')
    const coffee = await buy(shop, 'coffee', 'debit')
    await reads(tea.order_url, 'tea, $12.50: open')

    await bank('fail', tea)
    await reads(tea.order_url, 'tea, $12.50: failed')
    await bank('settle', coffee)
    await reads(coffee.order_url, 'coffee, $9.00: paid')
    await bank('return', coffee)
    await reads(coffee.order_url, 'coffee, $9.00: returned')
  })

  it('takes an event once, and only with the engine’s signature', async () => {
    const shop = await open()
    const { order_url } = await buy(shop, 'coffee')
    await shop.logged('event taken')
    const [received] = await shop.rows<{ id: string }>('SELECT id FROM shop_received_events')
    const [secret] = await shop.rows<{ value: string }>(
      `SELECT value FROM shop_settings WHERE name = 'webhook_secret'`,
    )
    const body = JSON.stringify({
      object: 'event',
      id: received?.id,
      type: 'checkout_session.completed',
      data: { object: {} },
    })
    const post = (key: string) => {
      const signature = signatureHeader(key, Math.floor(Date.now() / 1000), body)
      const headers = { 'content-type': 'application/json', 'service-signature': signature }
      return fetch(`${shop.origin}/webhooks`, { method: 'POST', headers, body })
    }
    expect((await post(secret?.value ?? '')).status).toBe(200)
    await shop.logged('event seen before')
    expect((await post('another secret')).status).toBe(400)
    expect(await (await fetch(order_url)).text()).toContain('coffee, $9.00: paid')
  })

  it('logs no client secret and no address of a page, and stops cleanly on SIGTERM', async () => {
    const shop = await open()
    const { page_url } = await buy(shop, 'tea')
    await fetch(`${shop.origin}/v1/payment-method-sessions/x?client_secret=x_secret_1`)
    await fetch(`${shop.origin}/v1x?client_secret=x_secret_2`)
    expect(await shop.stop()).toBe(0)
    expect(shop.log()).toContain('/v1/payment-method-sessions/x')
    expect(shop.log()).toContain('the shop is closed')
    expect(shop.log()).not.toContain('x_secret')
    expect(shop.log()).not.toContain(new URL(page_url).pathname)
  })

  it('has a page for every order and an order for every page, however many customers come at once', async () => {
    const shop = await open()
    const placed = async () =>
      (await shop.rows<{ id: string }>('SELECT id FROM shop_orders')).map(({ id }) => id)
    const before = await placed()
    const order = () =>
      fetch(`${shop.origin}/orders`, {
        method: 'POST',
        body: new URLSearchParams({ item: 'tea' }),
        redirect: 'manual',
      })
    const ordered = await Promise.all([buy(shop, 'coffee'), ...Array.from({ length: 30 }, order)])
    expect(ordered.slice(1).map((answer) => 'status' in answer && answer.status)).toEqual(Array(30).fill(303))
    const ids = await placed()
    const pages = await shop.rows<{ reference: string }>('SELECT reference FROM quittance_checkout_sessions')
    expect(ids).toHaveLength(before.length + 31)
    expect(pages.map(({ reference }) => reference).sort()).toEqual(ids.sort())
  })

  it('goes on where it was when it is started again', async () => {
    const shop = await open()
    const { order_url } = await buy(shop, 'tea')
    await shop.logged('event taken')
    await shop.stop()
    const again = await openShop(example, shop.place)
    const { pathname } = new URL(order_url)
    expect(await (await fetch(again.origin + pathname)).text()).toContain('paid')
    await buy(again, 'coffee')
    await again.logged('event taken')
  })
}

it.each([
  'database.ts',
  'sqlite.ts',
  'postgres.ts',
  'redis.ts',
  'orders.ts',
  'payments.ts',
  'place-order.ts',
])('the shops differ by their framework only: %s is the same in both', (file) => {
  const [express, fastify] = ['express', 'fastify'].map((example) =>
    readFileSync(new URL(`../${example}/src/${file}`, import.meta.url), 'utf8'),
  )
  expect(fastify).toBe(express)
})
