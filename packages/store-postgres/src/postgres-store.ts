import type { Store } from '@quittance/core'
import { due, findApiKey, nextDue, Statements, sqlReads, workspaces } from '@quittance/store-sql'
import { announcements } from './announcements/announcements.ts'
import { deliveryClaims } from './claims/claim-deliveries.ts'
import { openConnections, type PostgresStoreOptions } from './connections.ts'
import { postgresDialect } from './dialect.ts'
import { migrations } from './migrations.ts'
import { joining } from './units/join.ts'
import { SharedReads } from './units/shared-reads.ts'
import { Transactions } from './units/transactions.ts'

/**
 * Rows in Postgres 14 and later, in a schema of their own. A unit of work whose connection breaks, or that Postgres rolls
 * back because of a conflict, runs again from the start, and so does a unit that shared a transaction with others, under load,
 * if anything got in the way there; once retries are used up it throws the last fault. A unit holds a connection while it
 * runs: what it awaits must not need another connection of the same pool, nor another unit.
 */
export function postgresStore(options: PostgresStoreOptions): Store {
  const connections = openConnections(options)
  const { schema = 'quittance', notify = true } = options
  // Postgres would cut a longer name off, and two stores could share what is left.
  if (Buffer.byteLength(schema) > 63)
    throw new TypeError('`schema` is a name of Postgres, and has 63 bytes at most.')
  const statements = new Statements(postgresDialect(schema))
  const transactions = new Transactions(connections, schema, statements)
  const driver = new SharedReads(connections)
  const { close: leave, ...announcing } = announcements(connections, { schema, notify })
  return {
    transaction: (scope, work) => transactions.run(scope, work),
    join: joining({ connections, statements, schema }),
    read: async (scope, work) => work(sqlReads({ statements, driver, scope })),
    findApiKey: (hash) => findApiKey({ statements, driver }, hash),
    workspaces: (request) => workspaces({ statements, driver }, request),
    due: (request) => due({ statements, driver }, request),
    nextDue: (after) => nextDue({ statements, driver }, after),
    claimDeliveries: deliveryClaims({ connections, schema, statements }),
    ...announcing,
    ...migrations(connections, schema),
    async close() {
      await leave()
      await connections.close()
    },
  }
}
