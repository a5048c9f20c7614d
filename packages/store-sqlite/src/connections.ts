import {
  type Connection,
  connectionOf,
  openDatabase,
  type SqliteDatabase,
  type SqliteDriverName,
} from './database.ts'

export type SqliteStoreOptions =
  /**
   * A file, made when it is missing (its folder is not), or `:memory:`. Default of `driver`: better-sqlite3 where it is
   * installed, which reads faster, and else Node's own SQLite (22.16 and newer). Whatever else opens the file in this
   * process must use the same: two copies of SQLite undo each other's locks.
   */
  | { filename: string; driver?: SqliteDriverName }
  /**
   * A connection of the host. The store sets `journal_mode=WAL` and `synchronous=FULL` on it and never closes
   * it. Its `busy_timeout` stays as it is: for as long as that the process stands still where another one writes.
   * So does its `temp_store`, a change of which would drop the host's temporary tables; `MEMORY` makes units of work
   * about a fifth faster.
   * Whatever else writes on this connection while a unit of work awaits is part of that unit's commit.
   */
  | { database: SqliteDatabase }

export interface Connections {
  readonly writer: Connection
  /** Reads what is committed. There is none where the database is in memory, which one connection has to itself. */
  readonly reader: Connection | null
  /** Closes what was opened here. */
  close(): void
}

/** While the file is being opened and changed to WAL, another process may be doing the same. */
const opening_timeout_ms = 5_000

/** SQLite waits for a lock with the whole process standing still, so briefly; the rest is waited for outside. */
const busy_timeout_ms = 10

export function openConnections(options: SqliteStoreOptions): Connections {
  const own = 'filename' in options
  const writer = own ? openWriter(options) : connectionOf(options.database)
  if (!own) makeDurable(writer)
  const { file, driver } = writer
  const reader =
    file === null ? null : openDatabase(file, { driver, readonly: true, timeout_ms: opening_timeout_ms })
  return {
    writer,
    reader,
    close() {
      reader?.close()
      if (own) writer.close()
    },
  }
}

function openWriter({ filename, driver }: { filename: string; driver?: SqliteDriverName }): Connection {
  const connection = openDatabase(filename, { driver, timeout_ms: opening_timeout_ms })
  makeDurable(connection)
  // What a savepoint would roll back is kept aside in a file else. Measured: 1.2 times the payments per second.
  connection.exec('PRAGMA temp_store = MEMORY')
  connection.exec('PRAGMA foreign_keys = ON')
  connection.exec(`PRAGMA busy_timeout = ${busy_timeout_ms}`)
  return connection
}

/** A commit that was answered is on the disk: WAL alone would sync at checkpoints only. */
function makeDurable(connection: Connection): void {
  if (connection.file !== null) connection.exec('PRAGMA journal_mode = WAL')
  connection.exec('PRAGMA synchronous = FULL')
}
