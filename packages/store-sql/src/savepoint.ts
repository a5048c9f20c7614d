import type { SqlDriver } from './sql-driver.ts'

interface InSavepoint<Value> {
  /** Sends `savepoint`. Throws where no transaction is open. */
  begin(): PromiseLike<unknown>
  work(): Promise<Value>
  /** Whether to keep what the work has written, given its value. If it throws, nothing is kept. */
  isKept(value: Value): boolean
}

/** Runs work inside a transaction of the host. What is not kept is undone alone. */
export async function inSavepoint<Value>(
  driver: SqlDriver,
  { begin, work, isKept }: InSavepoint<Value>,
): Promise<Value> {
  await begin()
  try {
    const value = await work()
    if (!isKept(value)) await driver.run(rollback, [])
    // Postgres fails with 25P02 here if a listener of the host has caught the fault of its own statement.
    await driver.run(release, [])
    return value
  } catch (fault) {
    await undo(driver, fault)
    throw fault
  }
}

async function undo(driver: SqlDriver, cause: unknown): Promise<void> {
  try {
    await driver.run(rollback, [])
    await driver.run(release, [])
  } catch {
    // The connection is lost, SQLite has rolled back on a full or failing disk, or the host did not await the unit.
    throw new Error('the transaction of the host has ended before a unit of work in it', { cause })
  }
}

/** Nested savepoints share the name: databases take the innermost. */
export const savepoint = { sql: 'SAVEPOINT quittance' }
const rollback = { sql: 'ROLLBACK TO SAVEPOINT quittance' }
const release = { sql: 'RELEASE SAVEPOINT quittance' }
