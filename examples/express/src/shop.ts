import { hostedPages } from '@quittance/pages'
import type { HandlerOptions } from '@quittance/transport-http'
import { expressRouter } from '@quittance/transport-http/express'
import { verifyWebhook } from '@quittance/webhooks'
import express, { type Express } from 'express'
import type { Logger } from 'pino'
import type { ShopDatabase } from './database.ts'
import { logRequests } from './log.ts'
import { findOrder, type Order, prices, receiveEvent } from './orders.ts'
import type { Payments } from './payments.ts'
import { placeOrder } from './place-order.ts'

interface Shop extends Payments {
  database: ShopDatabase
  /** Limits shared with other processes, if there are any. */
  serving: Pick<HandlerOptions, 'limits'>
  origin: string
  log: Logger
}

export function createShop(shop: Shop): Express {
  const { database, engine, webhook_secret, log } = shop
  const app = express().disable('x-powered-by').use(logRequests(log))

  // The API, and beside it the pages on which customers pay.
  app.use(
    ['/v1', '/checkout', '/pay'],
    expressRouter(engine, { pages: hostedPages(engine), ...shop.serving }),
  )

  // The bytes as received: parsed and serialized again, they are no longer what was signed.
  app.post('/webhooks', express.raw({ type: 'application/json', limit: '256kb' }), async (req, res) => {
    const event = verifyWebhook(req.body ?? '', req.get('service-signature'), webhook_secret)
    if (event.isErr()) {
      log.warn({ reason: event.error }, 'event refused')
      res.status(400).end()
      return
    }
    const { id, type } = event.value
    log.info({ event: id, type }, await receiveEvent(database, event.value))
    res.status(200).end()
  })

  app.post('/orders', express.urlencoded({ extended: false }), async (req, res) => {
    const item = String(req.body?.item)
    const amount = Object.hasOwn(prices, item) ? prices[item] : undefined
    if (amount === undefined) {
      res.status(400).send('We do not sell that.')
      return
    }
    const page_url = await placeOrder(shop, { item, amount })
    if (page_url !== null) res.redirect(303, page_url)
    else res.status(503).send('Nobody can pay here just now. Please try again.')
  })

  app.get('/orders/:id', async (req, res) => {
    const order = await findOrder(database.query, req.params.id)
    if (order) res.send(receipt(order))
    else res.status(404).send('There is no such order.')
  })

  app.get('/', (_req, res) => void res.send(counter))
  return app
}

const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`

const counter = `<!doctype html><title>Shop</title><h1>Shop</h1><form method="post" action="/orders">${Object.entries(
  prices,
)
  .map(([item, cents]) => `<button name="item" value="${item}">${item}, ${dollars(cents)}</button>`)
  .join(' ')}</form>`

const receipt = ({ item, amount, status }: Order) =>
  `<!doctype html><title>Your order</title><h1>Your order</h1><p>${item}, ${dollars(amount)}: ${status}</p>`
