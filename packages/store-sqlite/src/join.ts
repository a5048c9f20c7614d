import type { JoinedStore } from '@quittance/core'
import { inSavepoint, type Statements, savepoint, sqlReads, sqlUnit } from '@quittance/store-sql'
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
    transaction(scope, work) {
      const unit = async () => {
        await lockForWriting(host)
        return sqlUnit({ statements, driver, scope, native: () => native }, work)
      }
      return inSavepoint(driver, {
        begin: () => beginIn(host),
        work: unit,
        isKept: (result) => result.isOk(),
      })
    },
    async read(scope, work) {
      await host.assertOpen()
      return work(sqlReads({ statements, driver, scope }))
    },
  }
}

async function beginIn({ driver, assertOpen }: HostTransaction): Promise<void> {
  await assertOpen()
  await driver.run(savepoint, [])
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

const nothing = { sql: 'DELETE FROM "quittance_migrations" WHERE 0' }
