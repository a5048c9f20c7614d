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
import { type Command, rowsWritten, sendBatch } from './batch.ts'
import { patience } from './one-trip.ts'
import { databaseCheck } from './same-database.ts'

interface Joining {
  connections: Connections
  statements: Statements
  schema: string
}

/** A transaction of the host, and how a savepoint is set in it. */
interface Joined extends Omit<SqlSession, 'scope'> {
  setSavepoint(): unknown
}

/**
 * Runs units of work and reads in savepoints of the host's transaction, on the host's connection. After a conflict
 * (40001, 40P01) there is no second attempt: the host has to run its whole transaction again.
 */
export function joining({ connections, statements, schema }: Joining): Store['join'] {
  const checkDatabase = databaseCheck(connections)
  let of_kysely: Statements | undefined
  const joinedBy = (native: unknown): Joined => {
    if (!isKyselyTransaction(native)) return { statements, ...onClient(asClient(native)) }
    of_kysely ??= new Statements(kyselyDialect(schema))
    const driver = kyselyDriver(native)
    return { statements: of_kysely, driver, setSavepoint: () => driver.run(savepoint, []) }
  }
  return (native) => {
    // Throws unless it is a client or a transaction.
    const { setSavepoint, ...session } = joinedBy(native)
    const { driver } = session
    const begin = async () => {
      await checkDatabase(native as object, driver)
      await explained(setSavepoint)
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

async function explained(setSavepoint: Joined['setSavepoint']): Promise<void> {
  try {
    await setSavepoint()
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

/** One statement after another: a client of pg is going to refuse a statement while another one is running. */
function onClient(client: ClientBase): Pick<Joined, 'driver' | 'setSavepoint'> {
  let under_way: Promise<unknown> = Promise.resolve()
  const ask = async (...commands: [Command, ...Command[]]) => {
    const sending = under_way.then(() => sendBatch(client, commands))
    under_way = sending
    const { answers, fault } = await sending
    if (fault !== undefined) throw fault
    return answers[0] ?? { rows: [], tag: '' }
  }
  const driver: SqlDriver = {
    all: async (statement, values) => (await ask({ statement, values })).rows,
    run: async (statement, values) => rowsWritten(await ask({ statement, values })),
    write: (statement, values) => ask({ statement, values }),
  }
  // The limit comes first, so that a unit that is undone leaves it. On kysely it comes with the check of the database.
  return { driver, setSavepoint: () => ask(patience, { statement: savepoint, values: [] }) }
}
