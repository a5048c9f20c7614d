import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sqliteStore } from '@quittance/store-sqlite'
import { createHandler, toNodeListener } from '@quittance/transport-http'
import Database from 'better-sqlite3'
import { endWhenTold } from './child.ts'
import { must, openShop } from './shop.ts'

/** One payment, served by the engine on one port and by bare node:http, which reads the same row, on another. */
const filename = process.argv[2] ?? ''
const shop = await openShop(sqliteStore({ filename }))
const caller = await shop.engine.caller(shop.scope)
const { payment_method } = shop
const terms = { amount: 1_000, currency: 'USD' as const, payment_method }
const payment = must(await shop.engine.payments.create(caller, terms, { idempotency_key: 'one' }))

const engine = createServer(toNodeListener(createHandler(shop.engine))).listen(0, '127.0.0.1')
const db = new Database(filename, { readonly: true })
const read = db.prepare('SELECT * FROM quittance_payments WHERE workspace = ? AND livemode = 0 AND id = ?')
const answer = JSON.stringify(payment)
const bare = createServer((_req, res) => {
  if (read.get(shop.scope.workspace, payment.id) === undefined) throw new Error('gone')
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
  res.end(answer)
}).listen(0, '127.0.0.1')
await new Promise((resolve) => bare.once('listening', resolve))

const portOf = (server: typeof engine) => (server.address() as AddressInfo).port
process.send?.({ engine: portOf(engine), bare: portOf(bare), secret_key: shop.secret_key, id: payment.id })
endWhenTold()
