import type { Store } from '@quittance/core'
import { expect, onTestFinished } from 'vitest'
import { postgresStore } from '../../../store-postgres/src/postgres-store.ts'
import { testDatabase } from '../../../store-postgres/test/database.ts'
import { sqliteStore } from '../../../store-sqlite/src/sqlite-store.ts'
import { temporaryFile } from '../../../store-sqlite/test/temporary-file.ts'
import { openShop, type Shop } from '../shop.ts'

const stores = {
  SQLite: () => {
    const { filename, remove } = temporaryFile()
    onTestFinished(remove)
    return sqliteStore({ filename })
  },
  Postgres: (database: ReturnType<typeof testDatabase>) => {
    const { connectionString, schema } = database()
    return postgresStore({ connectionString, schema: schema() })
  },
}

export const databases = Object.keys(stores) as (keyof typeof stores)[]

/** Opens migrated stores for the tests of one file, each on rows of its own. */
export function storesOn(): (name: keyof typeof stores) => Promise<Store> {
  const database = testDatabase()
  return async (name) => {
    const store: Store = stores[name](database)
    await store.migrate()
    onTestFinished(() => store.close())
    return store
  }
}

/** Opens shops on them. A fault that is logged fails the test. */
export function shopsOn(): (name: keyof typeof stores) => Promise<Shop> {
  const open = storesOn()
  return async (name) => {
    const shop = await openShop({ store: await open(name) })
    onTestFinished(() =>
      expect(shop.logged.filter((line) => line.startsWith('a request failed'))).toEqual([]),
    )
    return shop
  }
}
