import {
  type DomainError,
  type JoinedStore,
  type Result,
  ResultAsync,
  type Transaction,
} from '@quittance/core'
import { type Statements, sqlReads, sqlTransaction } from '@quittance/store-sql'
import type { Database } from 'better-sqlite3'
import { type HostTransaction, hostTransaction } from './host-transaction.ts'

/** How long another connection may keep the database to itself before that is a fault. */
const patience_ms = 10_000

interface Joining {
  statements: Statements
  writer: Database
  native: unknown
}

/**
 * Units of work in savepoints of a transaction of the host's, on the host's connection: they wait for nothing in the
 * store's queue, which waits for the host's transaction itself where both have the same connection.
 */
export function joinSqlite({ statements, writer, native }: Joining): JoinedStore {
  const host = hostTransaction(native, writer)
  const { driver } = host
  return {
    transaction: (scope, work) => {
      const unit = () => {
        const { tx, end } = sqlTransaction({ statements, driver, scope }, () => native)
        return inSavepoint(host, () => settled(tx, { work, end }))
      }
      return new ResultAsync(unit())
    },
    async read(scope, work) {
      await assertOpen(host)
      return work(sqlReads({ statements, driver, scope }))
    },
  }
}

type Settled<Value, Refusal> = { result: Result<Value, Refusal> } | { fault: unknown }

async function settled<Value, Refusal = DomainError>(
  tx: Transaction,
  { work, end }: { work: (tx: Transaction) => PromiseLike<Result<Value, Refusal>>; end(): void },
): Promise<Settled<Value, Refusal>> {
  try {
    return { result: await work(tx) }
  } catch (fault) {
    return { fault }
  } finally {
    end()
  }
}

async function inSavepoint<Value, Refusal>(
  host: HostTransaction,
  work: () => Promise<Settled<Value, Refusal>>,
): Promise<Result<Value, Refusal>> {
  await assertOpen(host)
  await host.driver.run(savepoint, [])
  let outcome: Settled<Value, Refusal>
  try {
    await lockForWriting(host)
    outcome = await work()
  } catch (fault) {
    outcome = { fault }
  }
  const kept = 'result' in outcome && outcome.result.isOk()
  try {
    if (!kept) await host.driver.run(rollback, [])
    await host.driver.run(release, [])
  } catch (fault) {
    // A full disk or a failing one makes SQLite roll back everything at once; or the host has not waited for the unit.
    const cause = 'fault' in outcome ? outcome.fault : fault
    throw new Error('the transaction of the host has ended before a unit of work in it', { cause })
  }
  if ('fault' in outcome) throw outcome.fault
  return outcome.result
}

async function assertOpen(host: HostTransaction): Promise<void> {
  if (!(await host.isOpen()))
    throw new Error('No transaction is open on the host’s connection: begin one first.')
}

/**
 * A transaction that was not begun IMMEDIATE can still become a writer's, as long as nobody has written since it first
 * read. The wait for another writer is ours: SQLite would wait with the whole process standing still, and with it
 * perhaps the one that is waited for.
 */
async function lockForWriting(host: HostTransaction): Promise<void> {
  const started_ms = performance.now()
  const timeout_ms = await host.busyTimeout(0)
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await host.driver.run(nothing, [])
        return
      } catch (fault) {
        if (!isBusy(fault) || performance.now() - started_ms > patience_ms) throw fault
      }
      await new Promise<void>((resolve) => setTimeout(resolve, Math.min(2 ** attempt, 25)))
    }
  } finally {
    await host.busyTimeout(timeout_ms)
  }
}

/** Nested ones have the same name: SQLite means the innermost. */
const savepoint = { sql: 'SAVEPOINT quittance' }
const rollback = { sql: 'ROLLBACK TO quittance' }
const release = { sql: 'RELEASE quittance' }
const nothing = { sql: 'DELETE FROM "quittance_migrations" WHERE 0' }

/** Not SQLITE_BUSY_SNAPSHOT: what the transaction has read is old by now, and stays so. */
function isBusy(fault: unknown): boolean {
  return fault instanceof Error && 'code' in fault && fault.code === 'SQLITE_BUSY'
}
