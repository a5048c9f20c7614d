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
    async create(statements) {
      database.exec(statements)
    },
    // `work` awaits only statements and the engine within the transaction, which wait for nothing themselves: so nothing else
    // runs on this connection in between.
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
