import type { Store } from '@quittance/core'
import {
  ClaimWindow,
  due,
  findApiKey,
  nextDue,
  type SqlReader,
  Statements,
  sqlReads,
  sqlUnit,
  workspaces,
} from '@quittance/store-sql'
import { claimDeliveries } from './claim-deliveries.ts'
import { CommitQueue } from './commit-queue.ts'
import { openConnections, type SqliteStoreOptions } from './connections.ts'
import { sqliteDialect } from './dialect.ts'
import { joinSqlite } from './join.ts'
import { KnownKeys } from './known-keys.ts'
import { migrationsSql, pendingMigrations, runMigrations } from './migrations.ts'
import { SharedReads } from './shared-reads.ts'
import { sqliteDriver } from './sqlite-driver.ts'

/**
 * Rows in SQLite. Units of work that wait at the same time share one commit to the disk. With a database in memory, reads
 * wait for the running units, ten seconds at most: a read that is awaited inside a unit of work then fails.
 */
export function sqliteStore(options: SqliteStoreOptions): Store {
  const { writer, reader, can_skip_sync, close } = openConnections(options)
  const statements = new Statements(sqliteDialect)
  const queue = new CommitQueue(writer)
  const driver = sqliteDriver(writer)
  const window = new ClaimWindow()
  const shared = reader && new SharedReads(reader)
  const keys = shared && new KnownKeys(shared, statements)
  // The reader waits for a process that is closing the file at this moment.
  const pending = () => pendingMigrations(reader ?? writer).map(([name]) => name)
  const read = <Value>(work: (from: SqlReader) => Promise<Value>): Promise<Value> =>
    shared === null ? queue.between(() => work(driver)) : work(shared)
  return {
    transaction(scope, work) {
      const unit = () => sqlUnit({ statements, driver, scope, native: () => writer.native }, work)
      return queue.unit(unit, { isKept: (result) => result.isOk() })
    },
    join: (native) => joinSqlite({ statements, writer, native }),
    read: (scope, work) => read(async (from) => work(sqlReads({ statements, driver: from, scope }))),
    findApiKey: (hash) => keys?.find(hash) ?? read((from) => findApiKey({ statements, driver: from }, hash)),
    workspaces: (request) => read((from) => workspaces({ statements, driver: from }, request)),
    due: (request) => read((from) => due({ statements, driver: from }, request)),
    nextDue: (after) => read((from) => nextDue({ statements, driver: from }, after)),
    // A power failure that undoes a lease has also ended the process that held it.
    claimDeliveries: (request) =>
      queue.unit(async () => claimDeliveries({ statements, driver, window, request }), {
        lasting: !can_skip_sync,
      }),
    // SQLite does not notify other processes of writes.
    announceDeliveries() {},
    onDeliveriesElsewhere: () => () => {},
    migrate: async () => {
      if (pending().length > 0) await queue.unit(async () => runMigrations(writer))
    },
    migrations: { pending: async () => pending(), sql: migrationsSql },
    async close() {
      await queue.idle()
      await shared?.idle()
      close()
    },
  }
}
