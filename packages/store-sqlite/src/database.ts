import { createRequire } from 'node:module'
import { isError } from '@quittance/core'
import type { SqlRow } from '@quittance/store-sql'
import type { Database } from 'better-sqlite3'

/** A connection of better-sqlite3 (`Database`) or of Node itself (`DatabaseSync` of `node:sqlite`). */
export type SqliteDatabase = BetterSqlite3Database | NodeDatabase

// Described by shape, so that nobody needs the types of the driver they do not use.
interface BetterSqlite3Database extends AnyDatabase {
  readonly inTransaction: boolean
  readonly memory: boolean
  readonly name: string
}

interface NodeDatabase extends AnyDatabase {
  readonly isTransaction: boolean
  readonly isOpen: boolean
  location(): string | null
}

interface AnyDatabase {
  prepare(sql: string): { all(...parameters: unknown[]): unknown[] }
  exec(sql: string): unknown
  close(): unknown
}

export type SqliteDriverName = 'better-sqlite3' | 'node:sqlite'

/** One connection, of either driver. */
export interface Connection {
  /** The driver's own connection. */
  readonly native: SqliteDatabase
  readonly driver: SqliteDriverName
  /** As it was opened (`pathOf`); null for a database in memory. */
  readonly file: string | null
  readonly inTransaction: boolean
  prepare(sql: string): Prepared
  exec(sql: string): void
  /** Harmless when repeated. */
  close(): void
}

/** Returns rows as objects and integers as numbers, whatever the host's connection is set to. */
export interface Prepared {
  all(...parameters: unknown[]): SqlRow[]
  run(...parameters: unknown[]): { changes: number | bigint }
}

export function connectionOf(database: SqliteDatabase): Connection {
  const common = { native: database, exec: (sql: string) => void database.exec(sql) }
  if ('inTransaction' in database) {
    return {
      ...common,
      driver: 'better-sqlite3',
      file: database.memory ? null : database.name,
      get inTransaction() {
        return database.inTransaction
      },
      close: () => void database.close(),
      prepare(sql) {
        const statement = database.prepare(sql) as Prepared & { safeIntegers(on: boolean): void }
        statement.safeIntegers(false)
        return statement
      },
    }
  }
  return {
    ...common,
    driver: 'node:sqlite',
    file: database.location(),
    get inTransaction() {
      // On a closed database Node's own would throw, where that of better-sqlite3 is false.
      return database.isOpen && database.isTransaction
    },
    close: () => void (database.isOpen && database.close()),
    prepare(sql) {
      const statement = database.prepare(sql) as Prepared & NodeSettings
      statement.setReadBigInts(false)
      statement.setReturnArrays?.(false)
      return statement
    },
  }
}

/** The path of its file; empty for a database in memory. After a `chdir` the name it was opened by may mean another file. */
export function pathOf(connection: Connection): string {
  return mainFile(connection.prepare(databases.sql).all())
}

/** Does not begin a read, so that the host's transaction can still begin to write after it. */
export const databases = { sql: 'PRAGMA database_list' }

export function mainFile(rows: readonly SqlRow[]): string {
  return String(rows.find(({ name }) => name === 'main')?.file ?? '')
}

interface NodeSettings {
  setReadBigInts(on: boolean): void
  /** Since Node 24.0. */
  setReturnArrays?(on: boolean): void
}

interface Opening {
  /** Default: better-sqlite3 if it is installed, because it reads faster; else Node's own SQLite. */
  driver?: SqliteDriverName | undefined
  readonly?: boolean
  timeout_ms: number
}

/** With `readonly` the file must exist. */
export function openDatabase(
  filename: string,
  { driver, readonly = false, timeout_ms }: Opening,
): Connection {
  // On an older Node, better-sqlite3 would end the process.
  if (typeof Promise.withResolvers !== 'function') throw new Error('Quittance needs Node 22.12 or newer.')
  const BetterSqlite3 = driver === 'node:sqlite' ? null : findBetterSqlite3()
  if (BetterSqlite3 !== null) {
    // On an older Node-API its binary ends the process as well, and such a Node has no SQLite of its own that would do.
    if (Number(process.versions.napi) < 10) throw new Error('better-sqlite3 needs Node 22.14 or newer.')
    const options = { readonly, fileMustExist: readonly, timeout: timeout_ms }
    return connectionOf(new BetterSqlite3(filename, options))
  }
  if (driver === 'better-sqlite3') throw new Error('better-sqlite3 is not installed.')
  const own = process.getBuiltinModule('node:sqlite')
  const database = own && new own.DatabaseSync(filename, { readOnly: readonly, timeout: timeout_ms })
  if (!isDatabase(database)) {
    throw new Error('Before 22.16 Node has no SQLite of its own that would do: install better-sqlite3.')
  }
  return connectionOf(database)
}

type BetterSqlite3 = new (filename: string, options: object) => Database

function findBetterSqlite3(): BetterSqlite3 | null {
  try {
    // A bundle in CommonJS has no `import.meta.url`. In `node -e` there is a global `__filename`, which is not a path.
    return createRequire(import.meta.url ?? __filename)('better-sqlite3')
  } catch (fault) {
    if (isError(fault) && 'code' in fault && fault.code === 'MODULE_NOT_FOUND') return null
    throw fault
  }
}

/** Checks the shape: the host may use another copy of better-sqlite3. */
export function isDatabase(native: unknown): native is SqliteDatabase {
  if (typeof native !== 'object' || native === null || !('prepare' in native)) return false
  return 'inTransaction' in native || 'isTransaction' in native
}

const busy_codes: Record<number, string> = {
  5: 'SQLITE_BUSY',
  261: 'SQLITE_BUSY_RECOVERY',
  517: 'SQLITE_BUSY_SNAPSHOT',
  773: 'SQLITE_BUSY_TIMEOUT',
}

/** SQLite's name for a fault caused by another connection; null for any other fault. */
export function busyCode(fault: unknown): string | null {
  if (!isError(fault)) return null
  if ('errcode' in fault) return busy_codes[Number(fault.errcode)] ?? null
  return 'code' in fault && String(fault.code).startsWith('SQLITE_BUSY') ? String(fault.code) : null
}
