import { sqliteStore } from '@quittance/store-sqlite'
import SqliteDatabase, { type Database } from 'better-sqlite3'
import type { Query, ShopDatabase } from './database.ts'

/** One connection, the engine's and the shop's. */
export function openSqlite(file: string): ShopDatabase {
  const database = new SqliteDatabase(file)
  const query = queryOn(database)
  return {
    store: sqliteStore({ database }),
    query,
    // Between its beginning and its end `work` awaits nothing but statements and the engine in it, which wait for
    // nothing themselves: nobody else gets in between on this connection.
    async transaction(work) {
      database.exec('BEGIN IMMEDIATE')
      try {
        const value = await work(query, database)
        database.exec(value === null ? 'ROLLBACK' : 'COMMIT')
        return value
      } catch (fault) {
        if (database.inTransaction) database.exec('ROLLBACK')
        throw fault
      }
    },
    within: (handle) => queryOn(handle as Database),
    async close() {
      database.close()
    },
  }
}

function queryOn(database: Database): Query {
  return async <Row>(sql: string, ...values: (string | number | null)[]) => {
    const statement = database.prepare<unknown[], Row>(sql)
    if (statement.reader) return statement.all(...values)
    statement.run(...values)
    return []
  }
}
