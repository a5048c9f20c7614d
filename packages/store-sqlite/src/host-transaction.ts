import {
  isKyselyTransaction,
  type KyselyTransaction,
  kyselyDriver,
  type SqlDriver,
  type SqlRow,
} from '@quittance/store-sql'
import type { Database } from 'better-sqlite3'
import { sqliteDriver } from './sqlite-driver.ts'

/** A transaction that the host has opened, whichever way it is reached. */
export interface HostTransaction {
  readonly driver: SqlDriver
  /** Throws where it has ended: a savepoint outside would begin and commit a transaction of its own. */
  assertOpen(): void | Promise<void>
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
  // A database in memory is its connection's alone.
  const shared = database === writer || (!writer.memory && fileOf(database) === fileOf(writer))
  if (!shared) throw anotherDatabase()
  const driver = drivers.get(database) ?? sqliteDriver(database)
  drivers.set(database, driver)
  return {
    driver,
    assertOpen() {
      if (!database.inTransaction)
        throw new Error('No transaction is open on the host’s connection: begin one first.')
    },
    busyTimeout(timeout_ms) {
      const before = database.pragma('busy_timeout', { simple: true })
      database.pragma(`busy_timeout = ${timeout_ms}`)
      return Number(before)
    },
  }
}

function ofKysely(transaction: KyselyTransaction, writer: Database): HostTransaction {
  const driver = kyselyDriver(transaction)
  return {
    driver,
    /** Kysely itself says of its transactions that they have ended. */
    async assertOpen() {
      if (mainFile(await driver.all(databases, [])) !== fileOf(writer)) throw anotherDatabase()
    },
    async busyTimeout(timeout_ms) {
      const [row] = await driver.all({ sql: 'PRAGMA busy_timeout' }, [])
      await driver.all({ sql: `PRAGMA busy_timeout = ${timeout_ms}` }, [])
      return Number(row?.timeout)
    },
  }
}

/** Begins no read: the host's transaction can still become a writer's after it. */
const databases = { sql: 'PRAGMA database_list' }

/** Empty for a database in memory. */
function fileOf(database: Database): unknown {
  return mainFile(database.prepare<[], SqlRow>(databases.sql).all())
}

function mainFile(rows: readonly SqlRow[]): unknown {
  return rows.find(({ name }) => name === 'main')?.file
}

function anotherDatabase(): Error {
  return new Error('This transaction is on another database than the store’s.')
}
