import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startReconciler } from '@quittance/core'
import { startDispatcher } from '@quittance/webhooks'
import { pino } from 'pino'
import { engineLogger } from './log.ts'
import { createTables } from './orders.ts'
import { openPayments } from './payments.ts'
import { openPostgres } from './postgres.ts'
import { openRedis } from './redis.ts'
import { createShop } from './shop.ts'
import { openSqlite } from './sqlite.ts'

const {
  PORT = '4300',
  SHOP_HOME = '.quittance',
  SHOP_ORIGIN = `http://localhost:${PORT}`,
  SHOP_SECRET,
  DATABASE_URL,
  REDIS_URL,
} = process.env

const log = pino()
if (SHOP_SECRET === undefined) log.warn('SHOP_SECRET is not set: this shop is good for trying it only')
mkdirSync(SHOP_HOME, { recursive: true, mode: 0o700 })
const database = DATABASE_URL ? openPostgres(DATABASE_URL) : openSqlite(join(SHOP_HOME, 'shop.db'))
await createTables(database)
const redis = openRedis(REDIS_URL)
const payments = await openPayments({
  database,
  secret: SHOP_SECRET ?? 'not a secret: for trying this example only',
  origin: SHOP_ORIGIN,
  ledger_file: join(SHOP_HOME, 'processor.jsonl'),
  logger: engineLogger(log),
})
const server = createShop({ ...payments, database, serving: redis.serving, origin: SHOP_ORIGIN, log }).listen(
  Number(PORT),
  'localhost',
)
await once(server, 'listening')
const dispatcher = startDispatcher(payments.engine, redis.dispatching)
const reconciler = startReconciler(payments.engine)
// Not `once`: npm passes on a Ctrl+C that this process has from the terminal already, and the second would end it at once.
const stopping = new Promise((stop) => process.on('SIGTERM', stop).on('SIGINT', stop))
log.info({ address: SHOP_ORIGIN }, 'the shop is open')

await stopping
// Asks clients to close kept-alive connections, which would otherwise be served for ever.
server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'))
// The dispatcher first, while this process can still receive what it has sent; then the server.
await dispatcher.stop()
await reconciler.stop()
// Time for them to be told: `close` cuts off those that ask nothing just then, also if a request is on its way.
await wait(1_000)
server.close()
// For those that send nothing, as browsers open them ahead, or not the rest of their request.
setTimeout(() => server.closeAllConnections(), 10_000).unref()
await once(server, 'close')
await payments.engine.close()
await database.close()
redis.close()
log.info('the shop is closed')
