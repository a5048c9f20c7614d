import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { testDatabase } from '../../packages/store-postgres/test/database.ts'
import type { Query, ShopDatabase } from '../express/src/database.ts'
import { createTables } from '../express/src/orders.ts'
import { openPayments } from '../express/src/payments.ts'
import { openPostgres } from '../express/src/postgres.ts'
import { openSqlite } from '../express/src/sqlite.ts'
import { temporaryFolder } from './shop-process.ts'

const database = testDatabase()

it('two processes that open a new shop at once make one of it: its tables, and one endpoint whose secret is kept', async () => {
  const { connectionString, pool } = database()
  const databases = [openPostgres(connectionString), openPostgres(connectionString)]
  for (const opened of databases) onTestFinished(() => opened.close())
  // Connected, so that what follows does begin at once.
  await Promise.all(databases.map(({ query }) => query('SELECT 1')))
  await Promise.all(databases.map(createTables))

  const both = Promise.withResolvers<void>()
  let looking = 0
  const open = (opened: ShopDatabase) => {
    // Both look for what the other has kept before either keeps anything.
    const query: Query = async (sql, ...values) => {
      const rows = await opened.query<never>(sql, ...values)
      if (!values.includes('webhook_secret')) return rows
      looking += 1
      if (looking === 2) both.resolve()
      await both.promise
      return rows
    }
    return openShop({ ...opened, query })
  }
  const [one, other] = await Promise.all(databases.map(open))
  expect(other?.webhook_secret).toBe(one?.webhook_secret)
  const { rows } = await pool.query('SELECT id FROM quittance.webhook_endpoints')
  expect(rows).toHaveLength(1)
})

it('a shop whose webhooks could not be delivered for days gets them again once it is started with another address', async () => {
  const shop = openSqlite(':memory:')
  await createTables(shop)
  const { engine, caller } = await openShop(shop)
  const endpoints = async () => (await engine.webhook_endpoints.list(caller, {})).map(({ data }) => data)
  const [{ id } = { id: '' }] = (await endpoints()).unwrapOr([])
  await engine.webhook_endpoints.update(caller, { id, status: 'disabled' })
  await openShop(shop, 'http://localhost:4400')
  const url = 'http://localhost:4400/webhooks'
  expect((await endpoints()).unwrapOr([])).toMatchObject([{ id, url, status: 'enabled' }])
})

function openShop(database: ShopDatabase, origin = 'http://localhost:4300') {
  return openPayments({
    database,
    secret: 'a secret of the tests, 32 bytes or more',
    origin,
    ledger_file: join(temporaryFolder(), 'processor.jsonl'),
    logger: console,
  })
}
