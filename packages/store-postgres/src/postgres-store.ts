import {
  type DomainError,
  type Result,
  ResultAsync,
  type Scope,
  type Store,
  type Transaction,
} from '@quittance/core'
import { due, findApiKey, nextDue, Statements, sqlReads, sqlUnit, workspaces } from '@quittance/store-sql'
import type { PoolClient } from 'pg'
import { announcements } from './announcements.ts'
import { deliveryClaims } from './claim-deliveries.ts'
import { CommitMarkers } from './commit-markers.ts'
import { type Connections, openConnections, type PostgresStoreOptions } from './connections.ts'
import { postgresDialect, unsharedDialect } from './dialect.ts'
import { isConflict, NothingDone } from './faults.ts'
import { joining } from './join.ts'
import { migrations } from './migrations.ts'
import { retrying } from './retrying.ts'
import { SharedReads } from './shared-reads.ts'
import { UnitOfWork, UnknownCommit } from './unit-of-work.ts'

/**
 * Rows in Postgres 14 and later, in a schema of their own. A unit of work whose connection breaks, or that Postgres
 * rolls back because of a conflict, runs again from the start; once retries are used up it throws the last fault. A
 * unit holds a connection while it runs: what it awaits must not need another one of the same pool.
 */
export function postgresStore(options: PostgresStoreOptions, schema = options?.schema ?? 'quittance'): Store {
  const connections = openConnections(options)
  // It would cut the rest off, and two stores could share what is left.
  if (Buffer.byteLength(schema) > 63)
    throw new TypeError('`schema` is a name of Postgres, and has 63 bytes at most.')
  const statements = new Statements(postgresDialect(schema))
  const unshared = new Statements(unsharedDialect(schema))
  const markers = new CommitMarkers(connections, schema)
  const driver = new SharedReads(connections)
  const { close: leave, ...announcing } = announcements(connections, {
    schema,
    notify: options.notify ?? true,
  })
  return {
    transaction: (scope, work) =>
      new ResultAsync(
        retrying((because) => {
          const locking = isConflict(because) ? unshared : statements
          return carryOut({ connections, markers, statements: locking, scope, work })
        }),
      ),
    join: joining({ statements, schema }),
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

interface Unit<Value, Refusal> {
  connections: Connections
  markers: CommitMarkers
  statements: Statements
  scope: Scope
  work: (tx: Transaction) => PromiseLike<Result<Value, Refusal>>
}

/** One attempt. Throws `NothingDone` if another one is allowed. */
async function carryOut<Value, Refusal = DomainError>(
  unit: Unit<Value, Refusal>,
): Promise<Result<Value, Refusal>> {
  const { connections, markers } = unit
  let outcome: Outcome<Value, Refusal> | undefined
  try {
    await connections.using(async (client) => {
      const transaction = new UnitOfWork(client, await markers.of(client))
      outcome = await runWork(unit, transaction, client)
      if ('result' in outcome && outcome.result.isOk() && transaction.fault === undefined) {
        outcome = (await commitOrRollBack(transaction, markers)) ?? outcome
      } else {
        await transaction.rollback()
        // The conflict may have hit a statement of the host.
        if ('thrown' in outcome && isConflict(outcome.thrown)) throw new NothingDone(outcome.thrown)
        if (transaction.fault !== undefined && 'result' in outcome)
          outcome = { thrown: transaction.fault.cause }
      }
    })
  } catch (fault) {
    if (!(fault instanceof UnknownCommit)) throw fault
    if (!(await hasCommitted(fault, markers))) throw new NothingDone(fault.cause)
  }
  if (outcome === undefined) throw new Error('the work has not run')
  if ('thrown' in outcome) throw outcome.thrown
  return outcome.result
}

type Outcome<Value, Refusal> = { result: Result<Value, Refusal> } | { thrown: unknown }

/** Ends with the connection too: a listener may wait for something else, until Postgres ends the session. */
async function runWork<Value, Refusal>(
  { statements, scope, work }: Unit<Value, Refusal>,
  transaction: UnitOfWork,
  client: PoolClient,
): Promise<Outcome<Value, Refusal>> {
  const session = { statements, driver: transaction, scope, native: () => transaction.native() }
  const lost = Promise.withResolvers<never>()
  client.once('error', lost.reject)
  try {
    return { result: await Promise.race([sqlUnit(session, work), lost.promise]) }
  } catch (thrown) {
    return { thrown }
  } finally {
    client.removeListener('error', lost.reject)
  }
}

/** What made the commit fail is an outcome if it was rolled back: thrown, it would count as a loss of the connection. */
async function commitOrRollBack(
  transaction: UnitOfWork,
  markers: CommitMarkers,
): Promise<{ thrown: unknown } | undefined> {
  try {
    await transaction.commit(markers)
    return undefined
  } catch (thrown) {
    if (thrown instanceof UnknownCommit) throw thrown
    await transaction.rollback()
    return { thrown }
  }
}

async function hasCommitted({ marker, cause }: UnknownCommit, markers: CommitMarkers): Promise<boolean> {
  try {
    return await retrying(() => markers.hasCommitted(marker))
  } catch (fault) {
    throw new Error(
      'the connection to Postgres was lost at COMMIT, and it could not be asked whether that has happened',
      { cause: new AggregateError([cause, fault]) },
    )
  }
}
