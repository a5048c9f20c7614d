import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sqliteStore } from '@quittance/store-sqlite'
import { createHandler, toNodeListener } from '@quittance/transport-http'
import { openShop } from './shop.ts'

/** The API on SQLite, alone in its process. */
const shop = await openShop(sqliteStore({ filename: process.argv[2] ?? ':memory:' }))
const server = createServer(toNodeListener(createHandler(shop.engine)))
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ port, secret_key: shop.secret_key, payment_method: shop.payment_method })
})
process.once('SIGTERM', () => process.exit(0))
