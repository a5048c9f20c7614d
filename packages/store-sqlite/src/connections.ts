import BetterSqlite3, { type Database } from 'better-sqlite3'

export type SqliteStoreOptions =
  /** A file, made when it is missing (its folder is not), or `:memory:`. */
  | { filename: string }
  /**
   * A connection of the host. The store sets `journal_mode=WAL` and `synchronous=FULL` on it and never closes
   * it. Its `busy_timeout` stays as it is: for as long as that the process stands still where another one writes.
   * So does its `temp_store`, a change of which would drop the host's temporary tables; `MEMORY` makes units of work
   * about a fifth faster.
   * Whatever else writes on this connection while a unit of work awaits is part of that unit's commit.
   */
  | { database: Database }

export interface Connections {
  readonly writer: Database
  /** Reads what is committed; undefined where the database is in memory, which one connection has to itself. */
  reader(): Database | undefined
  /** Closes what was opened here. */
  close(): void
}

/** While the file is being opened and changed to WAL, another process may be doing the same. */
const opening_timeout_ms = 5_000

/** SQLite waits for a lock with the whole process standing still, so briefly; the rest is waited for outside. */
const busy_timeout_ms = 10

export function openConnections(options: SqliteStoreOptions): Connections {
  const own = 'filename' in options
  const writer = own ? openWriter(options.filename) : options.database
  if (!own) makeDurable(writer)
  let reader: Database | undefined
  return {
    writer,
    reader() {
      // Opened when it is first asked for: the file may be made only then.
      if (!writer.memory) reader ??= openReader(writer.name)
      return reader
    },
    close() {
      reader?.close()
      if (own) writer.close()
    },
  }
}

function openWriter(filename: string): Database {
  const database = new BetterSqlite3(filename, { timeout: opening_timeout_ms })
  makeDurable(database)
  // What a savepoint would roll back is kept aside in a file else. Measured: 1.2 times the payments per second.
  database.pragma('temp_store = MEMORY')
  database.pragma('foreign_keys = ON')
  database.pragma(`busy_timeout = ${busy_timeout_ms}`)
  return database
}

/** A commit that was answered is on the disk: WAL alone would sync at checkpoints only. */
function makeDurable(database: Database): void {
  if (!database.memory) database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
}

function openReader(filename: string): Database {
  return new BetterSqlite3(filename, { readonly: true, fileMustExist: true, timeout: opening_timeout_ms })
}
