import { ok, type Store } from '@quittance/core'
import type { PoolClient } from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { find, here, unit } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'
import { postgresStore } from '../src/postgres-store.ts'
import { testDatabase } from './database.ts'

const database = testDatabase()
let schema: string
let store: Store
beforeEach(async () => {
  schema = database().schema()
  store = postgresStore({ connectionString: database().connectionString, schema })
  await store.migrate()
})
afterEach(async () => {
  await store.close()
  await database().drop(schema)
})

/** A unit of work that a listener ends before its time. */
const endedBy = (sql: string) =>
  unit(store, here, async (tx) => {
    await tx.customers.insert(sampleRow('customers', here, 'before'))
    await (tx.native as PoolClient).query(sql)
    return ok(await tx.customers.insert(sampleRow('customers', here, 'after')))
  })

// It was answered as committed, although nothing was: COMMIT outside of a transaction is only a warning.
it.each(['ROLLBACK', 'COMMIT'])('a %s of a listener is found out', async (sql) => {
  await expect(endedBy(sql)).rejects.toThrow('a listener has ended the transaction')
  expect(await find(store, here, 'customers', 'after')).toBeUndefined()
})

it('a unit whose listener ends nothing is committed', async () => {
  await endedBy('SELECT 1')
  expect(await find(store, here, 'customers', 'after')).toMatchObject({ id: 'after' })
})
