import { isError, option, refuseWrongOptions } from '@quittance/core'
import {
  busyCode,
  type Connection,
  connectionOf,
  openDatabase,
  pathOf,
  type SqliteDatabase,
  type SqliteDriverName,
} from './database.ts'

export type SqliteStoreOptions =
  /**
   * A file, created if it is missing (its folder is not), or `:memory:`. Default of `driver`: better-sqlite3 if it is
   * installed, because it reads faster; else Node's own SQLite (22.16 and newer). Whatever else opens the file in this process
   * must use the same driver: two copies of SQLite in one process undo each other's locks, and when one closes the file, what
   * the other commits is lost. The store checks for that, and then throws.
   */
  | { filename: string; driver?: SqliteDriverName | undefined }
  /**
   * A connection of the host. The store sets `journal_mode=WAL` and `synchronous=FULL` on it and never closes
   * it. Its `busy_timeout` is not changed: up to that long the whole process blocks while another one writes. Nor is
   * its `temp_store`, because a change would drop the host's temporary tables; `MEMORY` makes units of work about a
   * fifth faster.
   * Anything else written on this connection while a unit of work awaits becomes part of that unit's commit.
   */
  | { database: SqliteDatabase }

export interface Connections {
  readonly writer: Connection
  /** Reads what is committed. Null for a database in memory, which only its own connection can see. */
  readonly reader: Connection | null
  /**
   * Whether a commit may skip the sync: only if nobody else writes on `writer`, and in WAL mode, where a power failure can
   * lose that commit but not damage the file.
   */
  readonly can_skip_sync: boolean
  /** Closes what was opened here. */
  close(): void
}

/** How long to wait at opening, because another process may be opening the file or changing it to WAL. */
const opening_timeout_ms = 5_000

/** Short, because SQLite blocks the whole process while it waits for a lock. The rest is waited for in JavaScript. */
const busy_timeout_ms = 10

export function openConnections(options: SqliteStoreOptions): Connections {
  checkOptions(options)
  if ('database' in options) return openBeside(options.database)
  try {
    return openFile(options)
  } catch (cause) {
    const reason = isError(cause) ? cause.message : String(cause)
    throw new Error(`${options.filename} cannot be opened: ${reason}`, { cause })
  }
}

function checkOptions(options: SqliteStoreOptions): void {
  refuseWrongOptions('sqliteStore', options, {
    filename: option.text,
    driver: option.any,
    database: option.port('prepare'),
  })
  if ('filename' in options === 'database' in options)
    throw new TypeError('A SQLite store needs either a `filename` or a `database`.')
  if ('database' in options) return
  if (!['better-sqlite3', 'node:sqlite', undefined].includes(options.driver))
    throw new TypeError(`\`driver\` is better-sqlite3 or node:sqlite, not ${options.driver}.`)
  // For an empty name SQLite would open a database that is deleted when it is closed.
  if (!options.filename) throw new TypeError('`filename` names a file, or is `:memory:`.')
}

/** The host's connection writes, and one of the store's own reads. */
function openBeside(database: SqliteDatabase): Connections {
  const writer = connectionOf(database)
  // SQLite would say that the safety level cannot be changed.
  if (writer.inTransaction)
    throw new TypeError('`database` is in a transaction: open the store before it, or after it.')
  makeDurable(writer)
  const reader = openReader(writer)
  return { writer, reader, can_skip_sync: false, close: () => reader?.close() }
}

function openFile({ filename, driver }: Extract<SqliteStoreOptions, { filename: string }>): Connections {
  const writer = openDatabase(filename, { driver, timeout_ms: opening_timeout_ms })
  try {
    makeDurable(writer)
    // Otherwise SQLite writes to a file what a savepoint may roll back. Measured: 1.2 times the payments per second.
    writer.exec('PRAGMA temp_store = MEMORY')
    // 16 MB instead of 4: a checkpoint writes only the last state of a page, however often it has changed.
    writer.exec('PRAGMA wal_autocheckpoint = 4000')
    // A long read, such as a backup's, holds checkpoints up: without a limit the log would keep for ever the size it grew to.
    writer.exec('PRAGMA journal_size_limit = 33554432')
    writer.exec('PRAGMA foreign_keys = ON')
    writer.exec(`PRAGMA busy_timeout = ${busy_timeout_ms}`)
    const reader = openReader(writer)
    const close = () => {
      reader?.close()
      writer.close()
    }
    return { writer, reader, can_skip_sync: isWal(writer), close }
  } catch (fault) {
    writer.close()
    throw fault
  }
}

function openReader(writer: Connection): Connection | null {
  if (writer.file === null) return null
  const { driver } = writer
  return openDatabase(pathOf(writer), { driver, readonly: true, timeout_ms: opening_timeout_ms })
}

/** False in memory, and where a file system has no shared memory. */
function isWal(connection: Connection): boolean {
  return connection.prepare('PRAGMA journal_mode').all()[0]?.journal_mode === 'wal'
}

/** Puts each commit on the disk before it returns. WAL without `synchronous=FULL` would sync at checkpoints only. */
function makeDurable(connection: Connection): void {
  if (connection.file !== null) changeToWal(connection)
  connection.exec('PRAGMA synchronous = FULL')
}

const sleeper = new Int32Array(new SharedArrayBuffer(4))

/** Waits itself, because SQLite fails at once, whatever its timeout, while another process is changing the same new file. */
function changeToWal(connection: Connection): void {
  const started_ms = performance.now()
  for (;;) {
    try {
      connection.exec('PRAGMA journal_mode = WAL')
      return
    } catch (fault) {
      if (busyCode(fault) === null || performance.now() - started_ms > opening_timeout_ms) throw fault
    }
    Atomics.wait(sleeper, 0, 0, 1)
  }
}
