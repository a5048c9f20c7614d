import {
  type LeaseRequest,
  perTable,
  type Reads,
  type ScopeLock,
  type StoredRow,
  type Transaction,
} from '@quittance/core'
import { refuseStale } from './dialect.ts'
import type { SqlReader, SqlSession, SqlUnit } from './sql-driver.ts'
import { nameOf, type OpenUnit, SqlReadTable, SqlWriteTable } from './sql-tables.ts'

/** The tables of one scope, for reading. */
export function sqlReads(session: SqlSession<SqlReader>): Reads {
  return perTable((name) => new SqlReadTable(name, session))
}

/** Runs `work` on the tables of one scope, which are usable until it ends. */
export async function sqlUnit<Value>(
  session: SqlUnit,
  work: (tx: Transaction) => PromiseLike<Value>,
): Promise<Value> {
  const tx = new WriteSession(session)
  try {
    return await work(perTable((name) => new SqlWriteTable(name, tx), tx))
  } finally {
    tx.open = false
  }
}

class WriteSession implements OpenUnit {
  readonly session: SqlUnit
  readonly known = new Map<string, Readonly<StoredRow>>()
  open = true

  constructor(session: SqlUnit) {
    this.session = session
  }

  /** Forgets the rows, because whoever is handed this may join the transaction and change them. */
  get native(): unknown {
    this.assertOpen()
    this.known.clear()
    return this.session.native()
  }

  assertOpen(): void {
    if (!this.open) throw new Error('this transaction has ended')
  }

  async lockScope(mode: ScopeLock): Promise<void> {
    this.assertOpen()
    const { statements, driver, scope } = this.session
    if (mode === 'exclusive') driver.sharing?.leave()
    const lock = statements.scopeLocks?.[mode]
    if (lock) refuseStale(await driver.all(lock, [scope.workspace, scope.livemode]))
  }

  async leaseDeliveries({ ids, real_at, lease_until, per_workspace }: LeaseRequest): Promise<boolean> {
    this.assertOpen()
    const { statements, driver, scope } = this.session
    if (driver.sharing) return false
    const { lock, list, count, lease } = statements.leases
    const [workspace, livemode] = [scope.workspace, statements.encodeBoolean(scope.livemode)]
    // Counted by a statement after the lock, which sees what the previous holder of the lock has leased.
    const [[own], [leases]] = await Promise.all([
      lock === null ? [{ locked: true }] : driver.all(lock, [workspace]),
      driver.all(count, [workspace, real_at]),
    ])
    if (own?.locked !== true || Number(leases?.live) + ids.length > per_workspace) return false
    if (list !== null) await driver.write(list.clear, [workspace])
    for (const id of ids) {
      this.known.delete(nameOf('deliveries', id))
      await driver.write(lease, [lease_until, workspace, livemode, id])
      if (list !== null) await driver.write(list.add, [workspace, livemode, id])
    }
    return true
  }
}
