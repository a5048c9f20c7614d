import { hostedPages } from '@quittance/pages'
import type { HandlerOptions } from '@quittance/transport-http'
import { fastifyPlugin } from '@quittance/transport-http/fastify'
import { verifyWebhook } from '@quittance/webhooks'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ShopDatabase } from './database.ts'
import { findOrder, type Order, prices, receiveEvent } from './orders.ts'
import type { Payments } from './payments.ts'
import { placeOrder } from './place-order.ts'

interface Shop extends Payments {
  database: ShopDatabase
  /** Limits shared with other processes, if there are any. */
  serving: Pick<HandlerOptions, 'limits'>
  origin: string
}

export async function shopPlugin(app: FastifyInstance, shop: Shop): Promise<void> {
  const { engine, database, serving } = shop
  // The API, and beside it the pages on which customers pay.
  const pages = hostedPages(engine)
  app.register(fastifyPlugin, { engine, prefix: '/v1', ...serving })
  for (const prefix of ['/checkout', '/pay'])
    app.register(fastifyPlugin, { engine, prefix, pages, ...serving })
  app.register(webhooks, shop)

  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: object, body: string) => Object.fromEntries(new URLSearchParams(body)),
  )
  app.post<{ Body: { item?: string } | undefined }>('/orders', async (request, reply) => {
    const item = String(request.body?.item)
    const amount = Object.hasOwn(prices, item) ? prices[item] : undefined
    if (amount === undefined) return reply.code(400).send('We do not sell that.')
    const page_url = await placeOrder(shop, { item, amount })
    if (page_url !== null) return reply.redirect(page_url, 303)
    return reply.code(503).send('Nobody can pay here just now. Please try again.')
  })

  app.get<{ Params: { id: string } }>('/orders/:id', async (request, reply) => {
    const order = await findOrder(database.query, request.params.id)
    return order ? html(reply, receipt(order)) : notFound(reply)
  })
  app.get('/', async (_request, reply) => html(reply, counter))
  // The default handler logs whole targets.
  app.setNotFoundHandler((_request, reply) => notFound(reply))
}

/** The bytes as received: parsed and serialized again, they are no longer what was signed. */
async function webhooks(app: FastifyInstance, { database, webhook_secret }: Shop): Promise<void> {
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: object, body: Buffer) => body,
  )
  app.post<{ Body: Buffer | undefined; Headers: { 'service-signature'?: string } }>(
    '/webhooks',
    async ({ body = '', headers, log }, reply) => {
      const event = verifyWebhook(body, headers['service-signature'], webhook_secret)
      if (event.isErr()) {
        log.warn({ reason: event.error }, 'event refused')
        return reply.code(400).send()
      }
      const { id, type } = event.value
      log.info({ event: id, type }, await receiveEvent(database, event.value))
      return reply.code(200).send()
    },
  )
}

const html = (reply: FastifyReply, page: string) => reply.type('text/html; charset=utf-8').send(page)

const notFound = (reply: FastifyReply) => reply.code(404).send('There is no such page.')

const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`

const counter = `<!doctype html><title>Shop</title><h1>Shop</h1><form method="post" action="/orders">${Object.entries(
  prices,
)
  .map(([item, cents]) => `<button name="item" value="${item}">${item}, ${dollars(cents)}</button>`)
  .join(' ')}</form>`

const receipt = ({ item, amount, status }: Order) =>
  `<!doctype html><title>Your order</title><h1>Your order</h1><p>${item}, ${dollars(amount)}: ${status}</p>`
