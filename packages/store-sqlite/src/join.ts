import type { JoinedStore, Result } from '@quittance/core'
import { type Statements, sqlReads, sqlUnit } from '@quittance/store-sql'
import { busyCode, type Connection } from './database.ts'
import { type HostTransaction, hostTransaction } from './host-transaction.ts'
import { patience_ms, tryUntil } from './try-until.ts'

interface Joining {
  statements: Statements
  writer: Connection
  native: unknown
}

/**
 * Runs units of work in savepoints of the host's transaction, on the host's connection. They bypass the store's queue,
 * which itself waits for the host's transaction if both use the same connection.
 */
export function joinSqlite({ statements, writer, native }: Joining): JoinedStore {
  const host = hostTransaction(native, writer)
  const { driver } = host
  return {
    transaction: (scope, work) =>
      inSavepoint(host, () => sqlUnit({ statements, driver, scope, native: () => native }, work)),
    async read(scope, work) {
      await host.assertOpen()
      return work(sqlReads({ statements, driver, scope }))
    },
  }
}

async function inSavepoint<Value, Refusal>(
  host: HostTransaction,
  work: () => Promise<Result<Value, Refusal>>,
): Promise<Result<Value, Refusal>> {
  await host.assertOpen()
  await host.driver.run(savepoint, [])
  let result: Result<Value, Refusal>
  try {
    await lockForWriting(host)
    result = await work()
  } catch (fault) {
    await end(host, { kept: false, because: fault })
    throw fault
  }
  await end(host, { kept: result.isOk() })
  return result
}

async function end(
  { driver }: HostTransaction,
  { kept, because }: { kept: boolean; because?: unknown },
): Promise<void> {
  try {
    if (!kept) await driver.run(rollback, [])
    await driver.run(release, [])
  } catch (fault) {
    // On a full or failing disk SQLite rolls back the whole transaction. Or the host did not await the unit.
    const cause = because ?? fault
    throw new Error('the transaction of the host has ended before a unit of work in it', { cause })
  }
}

/**
 * A transaction that was not begun IMMEDIATE can still begin to write, unless somebody else has written since its first
 * read. The wait for another writer is done here, because SQLite would block the whole process, and perhaps with it
 * the writer it waits for.
 */
async function lockForWriting(host: HostTransaction): Promise<void> {
  const timeout_ms = await host.busyTimeout(0)
  let busy: unknown
  const isLocked = async () => {
    try {
      await host.driver.run(nothing, [])
      return true
    } catch (fault) {
      // Not SQLITE_BUSY_SNAPSHOT: what the transaction has read is out of date, and waiting does not help.
      if (busyCode(fault) !== 'SQLITE_BUSY') throw fault
      busy = fault
      return false
    }
  }
  try {
    if (!(await tryUntil(isLocked, patience_ms))) throw busy
  } finally {
    await host.busyTimeout(timeout_ms)
  }
}

/** Nested savepoints share the name: SQLite takes the innermost. */
const savepoint = { sql: 'SAVEPOINT quittance' }
const rollback = { sql: 'ROLLBACK TO quittance' }
const release = { sql: 'RELEASE quittance' }
const nothing = { sql: 'DELETE FROM "quittance_migrations" WHERE 0' }
