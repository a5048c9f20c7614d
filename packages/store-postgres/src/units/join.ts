import type { Store } from '@quittance/core'
import {
  inSavepoint,
  isKyselyTransaction,
  kyselyDriver,
  type SqlDriver,
  type SqlSession,
  Statements,
  savepoint,
  sqlReads,
  sqlUnit,
} from '@quittance/store-sql'
import type { ClientBase, PoolClient } from 'pg'
import type { Connections } from '../connections.ts'
import { kyselyDialect } from '../dialect.ts'
import { isTaken, sqlState } from '../faults.ts'
import { rowsWritten, sendBatch } from './batch.ts'
import { bounded } from './one-trip.ts'
import { databaseCheck } from './same-database.ts'

interface Joining {
  connections: Connections
  statements: Statements
  schema: string
}

/**
 * Runs units of work and reads in savepoints of the host's transaction, on the host's connection. After a conflict
 * (40001, 40P01) there is no second attempt: the host has to run its whole transaction again.
 */
export function joining({ connections, statements, schema }: Joining): Store['join'] {
  const checkDatabase = databaseCheck(connections)
  let of_kysely: Statements | undefined
  const sessionOf = (native: unknown): Omit<SqlSession, 'scope'> => {
    if (isKyselyTransaction(native)) {
      of_kysely ??= new Statements(kyselyDialect(schema))
      return { statements: of_kysely, driver: kyselyDriver(native) }
    }
    return { statements, driver: clientDriver(asClient(native)) }
  }
  return (native) => {
    // Throws unless it is a client or a transaction.
    const session = sessionOf(native)
    const { driver } = session
    const begin = async () => {
      await checkDatabase(native as object, driver)
      await beginIn(driver)
    }
    return {
      transaction: (scope, work) => {
        const unit = () => sqlUnit({ ...session, scope, native: () => native }, work)
        const attempt = () => inSavepoint(driver, { begin, work: unit, isKept: (result) => result.isOk() })
        return attempt().catch((fault) => (isTaken(fault) ? attempt() : Promise.reject(fault)))
      },
      // In a savepoint too, because a statement that fails undoes everything since the last one.
      read: (scope, work) => {
        const read = async () => work(sqlReads({ ...session, scope }))
        return inSavepoint(driver, { begin, work: read, isKept: () => true })
      },
    }
  }
}

async function beginIn(driver: SqlDriver): Promise<void> {
  try {
    await driver.run(savepoint, [])
  } catch (cause) {
    if (sqlState(cause) !== '25P01') throw cause
    throw new Error('No transaction is open on the host’s connection: begin one first.', { cause })
  }
}

function asClient(native: unknown): ClientBase {
  if (isClient(native) && !native.pipeline) return native
  throw new TypeError(
    'The Postgres store joins a client of pg (no pool, and without `pipeline`) on which BEGIN was sent, or a transaction of kysely.',
  )
}

/** Checks the shape, which a pool does not have: the host may use another copy of pg. */
function isClient(native: unknown): native is PoolClient {
  return typeof native === 'object' && native !== null && 'query' in native && 'connection' in native
}

/** Goes with the savepoint, before anything that may wait. On kysely it comes with the check of the database. */
const patience = { sql: `SELECT ${bounded}` }

/** One statement after another: a client of pg is going to refuse a statement while another one is running. */
function clientDriver(client: ClientBase): SqlDriver {
  let under_way: Promise<unknown> = Promise.resolve()
  const ask = async (statement: { sql: string }, values: unknown[]) => {
    const more = statement === savepoint ? [{ statement: patience, values: [] }] : []
    const sending = under_way.then(() => sendBatch(client, [{ statement, values }, ...more]))
    under_way = sending
    const { answers, fault } = await sending
    if (fault !== undefined) throw fault
    return answers[0] ?? { rows: [], tag: '' }
  }
  return {
    all: async (statement, values) => (await ask(statement, values)).rows,
    run: async (statement, values) => rowsWritten(await ask(statement, values)),
    write: ask,
  }
}
