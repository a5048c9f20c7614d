import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startReconciler } from '@quittance/core'
import { startDispatcher } from '@quittance/webhooks'
import fastify from 'fastify'
import { engineLogger, redactedLog } from './log.ts'
import { createTables } from './orders.ts'
import { openPayments } from './payments.ts'
import { openPostgres } from './postgres.ts'
import { openRedis } from './redis.ts'
import { shopPlugin } from './shop.ts'
import { openSqlite } from './sqlite.ts'

const {
  PORT = '4301',
  SHOP_HOME = '.quittance',
  SHOP_ORIGIN = `http://localhost:${PORT}`,
  SHOP_SECRET,
  DATABASE_URL,
  REDIS_URL,
} = process.env

const app = fastify({ logger: redactedLog })
if (SHOP_SECRET === undefined) app.log.warn('SHOP_SECRET is not set: this shop is good for trying it only')
mkdirSync(SHOP_HOME, { recursive: true, mode: 0o700 })
const database = DATABASE_URL ? openPostgres(DATABASE_URL) : openSqlite(join(SHOP_HOME, 'shop.db'))
await createTables(database)
const redis = openRedis(REDIS_URL)
const payments = await openPayments({
  database,
  secret: SHOP_SECRET ?? 'not a secret: for trying this example only',
  origin: SHOP_ORIGIN,
  ledger_file: join(SHOP_HOME, 'processor.jsonl'),
  logger: engineLogger(app.log),
})
app.register(shopPlugin, { ...payments, database, serving: redis.serving, origin: SHOP_ORIGIN })
await app.listen({ port: Number(PORT), host: 'localhost' })
const dispatcher = startDispatcher(payments.engine, redis.dispatching)
const reconciler = startReconciler(payments.engine)
// Not `once`: npm passes on a Ctrl+C that this process has from the terminal already, and the second would end it at once.
const stopping = new Promise((stop) => process.on('SIGTERM', stop).on('SIGINT', stop))
app.log.info({ address: SHOP_ORIGIN }, 'the shop is open')

await stopping
// Asks clients to close kept-alive connections, which would otherwise be served until they are cut off.
app.server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'))
// The dispatcher first, while this process can still receive what it has sent; then the server.
await dispatcher.stop()
await reconciler.stop()
// Time for them to be told: `close` cuts off those that ask nothing just then, also if a request is on its way.
await wait(1_000)
// For those that send nothing, as browsers open them ahead, or not the rest of their request.
setTimeout(() => app.server.closeAllConnections(), 10_000).unref()
await app.close()
await payments.engine.close()
await database.close()
redis.close()
app.log.info('the shop is closed')
