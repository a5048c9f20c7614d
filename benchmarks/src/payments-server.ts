import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { postgresStore } from '@quittance/store-postgres'
import { sqliteStore } from '@quittance/store-sqlite'
import { createHandler, toNodeListener } from '@quittance/transport-http'
import { endWhenTold } from './child.ts'
import { openShop, savedCard } from './shop.ts'

/** The API on a SQLite file or a Postgres URL, alone in its process. */
const [where = ':memory:', connections = '10', cards = '64'] = process.argv.slice(2)
const store = where.startsWith('postgres:')
  ? postgresStore({ connectionString: where, connections: Number(connections) })
  : sqliteStore({ filename: where })
const { engine, scope, secret_key, payment_method } = await openShop(store)
const payment_methods = [payment_method]
while (payment_methods.length < Number(cards)) payment_methods.push(await savedCard(engine, scope))
const server = createServer(toNodeListener(createHandler(engine)))
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port, secret_key, payment_methods })
})
endWhenTold()
