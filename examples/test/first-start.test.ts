import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { testDatabase } from '../../packages/store-postgres/test/database.ts'
import type { Query, ShopDatabase } from '../express/src/database.ts'
import { createTables } from '../express/src/orders.ts'
import { openPayments } from '../express/src/payments.ts'
import { openPostgres } from '../express/src/postgres.ts'
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
  const open = async (opened: ShopDatabase) => {
    // Both look for what the other has kept before either keeps anything.
    const query: Query = async (sql, ...values) => {
      const rows = await opened.query<never>(sql, ...values)
      if (!values.includes('webhook_secret')) return rows
      looking += 1
      if (looking === 2) both.resolve()
      await both.promise
      return rows
    }
    const { webhook_secret } = await openPayments({
      database: { ...opened, query },
      secret: 'a secret of the tests, 32 bytes or more',
      origin: 'http://localhost:4300',
      ledger_file: join(temporaryFolder(), 'processor.jsonl'),
      logger: console,
    })
    return webhook_secret
  }
  const [one, other] = await Promise.all(databases.map(open))
  expect(other).toBe(one)
  const { rows } = await pool.query('SELECT id FROM quittance.webhook_endpoints')
  expect(rows).toHaveLength(1)
})
