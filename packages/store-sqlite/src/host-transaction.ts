import {
  isKyselyTransaction,
  type KyselyTransaction,
  kyselyDriver,
  type SqlDriver,
} from '@quittance/store-sql'
import {
  type Connection,
  connectionOf,
  databases,
  isDatabase,
  mainFile,
  pathOf,
  type SqliteDatabase,
} from './database.ts'
import { type SyncDriver, sqliteDriver } from './sqlite-driver.ts'

/** A transaction that the host has opened, on a connection or with kysely. */
export interface HostTransaction {
  readonly driver: SqlDriver
  /** Throws if it has ended: a savepoint outside a transaction would begin and commit one of its own. */
  assertOpen(): void | Promise<void>
  /** Sets how long SQLite itself waits for a lock, and returns the previous value. */
  busyTimeout(timeout_ms: number): number | Promise<number>
}

/** Throws if `native` is not a transaction, or is one on another database than the store's `writer`. */
export function hostTransaction(native: unknown, writer: Connection): HostTransaction {
  if (isDatabase(native)) return ofDatabase(native, writer)
  if (isKyselyTransaction(native)) return ofKysely(native, writer)
  throw new TypeError(
    'The SQLite store joins a database of better-sqlite3 or node:sqlite with an open transaction, or a transaction of kysely on one.',
  )
}

/** Caches prepared statements for as long as the host keeps the connection. */
const known = new WeakMap<SqliteDatabase, { connection: Connection; driver: SqlDriver & SyncDriver }>()

function ofDatabase(database: SqliteDatabase, writer: Connection): HostTransaction {
  const { connection, driver } = known.get(database) ?? opened(database)
  // Only its own connection can see a database in memory.
  const shared = database === writer.native || (writer.file !== null && pathOf(connection) === pathOf(writer))
  if (!shared) throw anotherDatabase()
  if (connection.driver !== writer.driver) throw anotherLibrary(connection, writer)
  return {
    driver,
    assertOpen() {
      if (!connection.inTransaction)
        throw new Error('No transaction is open on the host’s connection: begin one first.')
    },
    busyTimeout(timeout_ms) {
      const [row] = connection.prepare('PRAGMA busy_timeout').all()
      connection.exec(`PRAGMA busy_timeout = ${timeout_ms}`)
      return Number(row?.timeout)
    },
  }
}

function opened(database: SqliteDatabase) {
  const connection = connectionOf(database)
  const kept = { connection, driver: sqliteDriver(connection) }
  known.set(database, kept)
  return kept
}

function ofKysely(transaction: KyselyTransaction, writer: Connection): HostTransaction {
  const driver = kyselyDriver(transaction)
  return {
    driver,
    /** Checks only the database: kysely itself throws if the transaction has ended. */
    async assertOpen() {
      if (mainFile(await driver.all(databases, [])) !== pathOf(writer)) throw anotherDatabase()
    },
    async busyTimeout(timeout_ms) {
      const [row] = await driver.all({ sql: 'PRAGMA busy_timeout' }, [])
      await driver.all({ sql: `PRAGMA busy_timeout = ${timeout_ms}` }, [])
      return Number(row?.timeout)
    },
  }
}

function anotherDatabase(): Error {
  return new Error('This transaction is on another database than the store’s.')
}

/** Two copies of SQLite in one process undo each other's locks on a file. */
function anotherLibrary({ driver }: Connection, writer: Connection): Error {
  return new TypeError(
    `This transaction is of ${driver} and the store of ${writer.driver}, which must not share a file in one process: ` +
      'choose the store’s `driver`.',
  )
}
