/**
 * Asking again is allowed, and may succeed: nothing of what was asked has been done. `because` is what a caller is
 * told when it did not succeed either.
 */
export class NothingDone extends Error {
  readonly because: unknown

  constructor(because: unknown) {
    super(`Postgres has done nothing of this: ${inWords(because)}`, { cause: because })
    this.because = because
  }
}

/** Where each address of a name was tried, the fault that tells of all of them says nothing itself. */
function inWords(fault: unknown): string {
  if (fault instanceof AggregateError) return fault.errors.map(inWords).join(', ')
  return fault instanceof Error ? fault.message : String(fault)
}

/** The SQLSTATE of a fault that the database reported. */
export function sqlState(fault: unknown): string | undefined {
  if (!(fault instanceof Error) || !('severity' in fault) || !('code' in fault)) return undefined
  return typeof fault.code === 'string' ? fault.code : undefined
}

/** 42P01, of a table that is not there, with what to do about it. Its state stays readable. */
export function explained(fault: unknown): unknown {
  if (!(fault instanceof Error) || sqlState(fault) !== '42P01') return fault
  return Object.assign(fault, { message: `The database lacks a table (${fault.message}): migrate it first.` })
}

/** 40001 serialization failure, 40P01 deadlock: Postgres has rolled back one of those that were in each other's way. */
export function isConflict(fault: unknown): boolean {
  const state = sqlState(fault)
  return state === '40001' || state === '40P01'
}

/** What is thrown for a fault that ended a batch: `NothingDone` where the connection or the transaction was lost. */
export function retriable(fault: unknown): unknown {
  return isLoss(fault) || isConflict(fault) ? new NothingDone(fault) : fault
}

/** 23505: a unique constraint is taken. By another unit meanwhile, as a rule: one that looks again finds its row. */
export function isTaken(fault: unknown): boolean {
  return sqlState(fault) === '23505'
}

/**
 * Whether the connection is gone, or was never had: what the network, the driver or a timer says, and the states with
 * which Postgres ends a session (25P03 and 57P01 to 57P05) or refuses one (08, 53300 too many connections). So is one
 * on which somebody else deallocated what we had prepared (26000): ROLLBACK is among it.
 */
export function isLoss(fault: unknown): boolean {
  const state = sqlState(fault)
  if (state === undefined) return true
  return state.startsWith('08') || /^(25P03|26000|53300|57P0[1-5])$/.test(state)
}
