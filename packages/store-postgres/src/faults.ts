import { isError } from '@quittance/core'

/**
 * Nothing of what was requested has been done, so a retry is allowed, and may succeed. `because` is what the caller gets if no
 * retry succeeds.
 */
export class NothingDone extends Error {
  readonly because: unknown

  constructor(because: unknown) {
    const words = inWords(because)
    super(`Postgres has done nothing of this: ${words}`, { cause: because })
    this.because = because instanceof AggregateError ? new Error(words, { cause: because }) : because
  }
}

/** If all addresses of a name have failed, the AggregateError has no message itself: joins those of its errors. */
function inWords(fault: unknown): string {
  if (fault instanceof AggregateError) return fault.errors.map(inWords).join(', ')
  return isError(fault) ? fault.message : String(fault)
}

/** The SQLSTATE of a fault that the database reported. */
export function sqlState(fault: unknown): string | undefined {
  if (!isError(fault) || !('severity' in fault) || !('code' in fault)) return undefined
  return typeof fault.code === 'string' ? fault.code : undefined
}

/** Adds to 42P01, a missing table, what to do about it. The fault keeps its SQLSTATE. */
export function explained(fault: unknown): unknown {
  if (!isError(fault) || sqlState(fault) !== '42P01') return fault
  return Object.assign(fault, { message: `The database lacks a table (${fault.message}): migrate it first.` })
}

/** 40001 serialization failure, 40P01 deadlock: Postgres has rolled back one of two transactions that conflict. */
export function isConflict(fault: unknown): boolean {
  const state = sqlState(fault)
  return state === '40001' || state === '40P01'
}

/** What to throw for a fault that ended a batch: `NothingDone` if the connection or the transaction was lost. */
export function retriable(fault: unknown): unknown {
  return isLoss(fault) || isConflict(fault) ? new NothingDone(fault) : fault
}

/** 23505: a unique constraint is taken, usually by another unit meanwhile: a unit that runs again finds its row. */
export function isTaken(fault: unknown): boolean {
  return sqlState(fault) === '23505'
}

/** 55P03: the wait for a lock took longer than `lock_timeout`. */
export function isLocked(fault: unknown): boolean {
  return sqlState(fault) === '55P03'
}

/** The row of a connection's marker is not as its last commit left it: that sets null in a column that takes none. */
export function isOutdated(fault: unknown): boolean {
  return isError(fault) && 'table' in fault && fault.table === 'commit_markers'
}

/**
 * Whether the connection is lost, or was never made: faults of the network, the driver or a timer, and the states with
 * which Postgres ends a session (25P03, 25P04, 57P01 to 57P05) or refuses one (08, 53300 too many connections). 26000
 * counts too: somebody else deallocated our prepared statements, and ROLLBACK is one of them. So does 25006: after a
 * failover the connection leads to a standby, which only reads, and a new one to the server that writes.
 */
export function isLoss(fault: unknown): boolean {
  const state = sqlState(fault)
  if (state === undefined) return true
  return state.startsWith('08') || /^(25006|25P0[34]|26000|53300|57P0[1-5])$/.test(state)
}
