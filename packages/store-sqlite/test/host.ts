import { DatabaseSync } from 'node:sqlite'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { begunByKysely, begunControlled, type HostTables } from '../../store-sql/test/kysely-host.ts'
import type { Host, HostTransaction } from '../../testing/src/store/open-store.ts'
import { connectionOf, type SqliteDatabase } from '../src/database.ts'

export const kinds = [
  'on a better-sqlite3 database that is the store’s own',
  'on a better-sqlite3 database of its own',
  'of kysely on the store’s own database',
  'of kysely on a database of its own',
  'of kysely, controlled',
] as const

/** The host beside a store on `database`, with a second connection to the same file. */
export function hostOf(database: Database.Database): Host & { close(): void } {
  database.exec('CREATE TABLE host_orders (id TEXT PRIMARY KEY)')
  const other = new Database(database.name)
  const kysely = (of: Database.Database) =>
    new Kysely<HostTables>({ dialect: new SqliteDialect({ database: of }) })
  const begin: Record<string, () => Promise<HostTransaction>> = {
    [kinds[0]]: async () => begun(database),
    [kinds[1]]: async () => begun(other),
    [kinds[2]]: () => begunByKysely(kysely(database)),
    [kinds[3]]: () => begunByKysely(kysely(other)),
    [kinds[4]]: () => begunControlled(kysely(other)),
  }
  return hostWith(begin, other, new Database(':memory:'))
}

export const node_kinds = [
  'on a node:sqlite database that is the store’s own',
  'on a node:sqlite database of its own',
] as const

/** The same with Node's own SQLite. */
export function nodeHostOf(database: DatabaseSync, filename: string): Host & { close(): void } {
  database.exec('CREATE TABLE host_orders (id TEXT PRIMARY KEY)')
  const other = new DatabaseSync(filename)
  return hostWith(
    { [node_kinds[0]]: async () => begun(database), [node_kinds[1]]: async () => begun(other) },
    other,
    new DatabaseSync(':memory:'),
  )
}

function hostWith(
  begin: Record<string, () => Promise<HostTransaction>>,
  other: SqliteDatabase,
  elsewhere: SqliteDatabase,
): Host & { close(): void } {
  return {
    async begin(kind) {
      const opening = begin[kind]
      if (opening === undefined) throw new Error(`there is no kind ${kind}`)
      return opening()
    },
    beginElsewhere: async () => begun(elsewhere),
    write: async (native, id) => insertOrder(native as SqliteDatabase, id),
    orders: async () =>
      connectionOf(other)
        .prepare('SELECT id FROM host_orders')
        .all()
        .map(({ id }) => String(id)),
    close() {
      other.close()
      elsewhere.close()
    },
  }
}

function begun(database: SqliteDatabase): HostTransaction {
  database.exec('BEGIN')
  return {
    native: database,
    order: async (id) => insertOrder(database, id),
    commit: async () => void database.exec('COMMIT'),
    rollback: async () => void database.exec('ROLLBACK'),
  }
}

const insertOrder = (database: SqliteDatabase, id: string) =>
  void connectionOf(database).prepare('INSERT INTO host_orders VALUES (?)').run(id)
