import { isKyselyTransaction, kyselyDriver, type SqlDriver } from '@quittance/store-sql'
import type { Database } from 'better-sqlite3'
import { sqliteDriver } from './sqlite-driver.ts'

/** A transaction that the host has opened, whichever way it is reached. */
export interface HostTransaction {
  readonly driver: SqlDriver
  /** Whether it is open still: where nothing is, a savepoint would begin and commit a transaction of its own. */
  isOpen(): boolean | Promise<boolean>
  /** Sets how long SQLite waits for a lock by itself, and gives back how long it was. */
  busyTimeout(timeout_ms: number): number | Promise<number>
}

/** Throws where `native` is none, or on another database than the store's `writer`. */
export function hostTransaction(native: unknown, writer: Database): HostTransaction {
  if (isDatabase(native)) return ofDatabase(native, writer)
  if (isKyselyTransaction(native)) return ofKysely(native, writer)
  throw new TypeError(
    'The SQLite store joins a better-sqlite3 database with an open transaction, or a transaction of kysely on one.',
  )
}

/** By its shape: the host may have a better-sqlite3 of its own. */
function isDatabase(native: unknown): native is Database {
  return typeof native === 'object' && native !== null && 'prepare' in native && 'inTransaction' in native
}

/** What was prepared is kept for as long as the connection. */
const drivers = new WeakMap<Database, SqlDriver>()

function ofDatabase(database: Database, writer: Database): HostTransaction {
  if (database !== writer && fileOf(database) !== fileOf(writer)) throw anotherDatabase()
  const driver = drivers.get(database) ?? sqliteDriver(database)
  drivers.set(database, driver)
  return {
    driver,
    isOpen: () => database.inTransaction,
    busyTimeout(timeout_ms) {
      const before = database.pragma('busy_timeout', { simple: true })
      database.pragma(`busy_timeout = ${timeout_ms}`)
      return Number(before)
    },
  }
}

function ofKysely(transaction: Parameters<typeof kyselyDriver>[0], writer: Database): HostTransaction {
  const driver = kyselyDriver(transaction)
  const first = async (statement: { sql: string }) => (await driver.all(statement, []))[0] ?? {}
  return {
    driver,
    async isOpen() {
      const { file } = await first(main_file)
      if (file !== writer.prepare(main_file.sql).pluck().get()) throw anotherDatabase()
      // `foreign_keys` cannot be changed inside a transaction, and to try is no error: SQLite has no plainer way to ask.
      const { foreign_keys: before } = await first(foreign_keys)
      const [changed, restored] = before === 1 ? [keys_off, keys_on] : [keys_on, keys_off]
      await driver.all(changed, [])
      const { foreign_keys: after } = await first(foreign_keys)
      if (after === before) return true
      await driver.all(restored, [])
      return false
    },
    async busyTimeout(timeout_ms) {
      const { timeout } = await first({ sql: 'PRAGMA busy_timeout' })
      await first({ sql: `PRAGMA busy_timeout = ${timeout_ms}` })
      return Number(timeout)
    },
  }
}

const main_file = { sql: `SELECT "file" FROM pragma_database_list WHERE "name" = 'main'` }
const foreign_keys = { sql: 'PRAGMA foreign_keys' }
const keys_on = { sql: 'PRAGMA foreign_keys = ON' }
const keys_off = { sql: 'PRAGMA foreign_keys = OFF' }

/** A database in memory has no file, and is its connection's alone. */
function fileOf(database: Database): unknown {
  return database.prepare(main_file.sql).pluck().get() || database
}

function anotherDatabase(): Error {
  return new Error('This transaction is on another database than the store’s.')
}
