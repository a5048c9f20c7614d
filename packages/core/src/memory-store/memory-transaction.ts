import type { StoredRow } from '../ports/per-table.ts'
import type { LeaseRequest, Scope } from '../ports/store.ts'
import type { TableName } from '../ports/tables.ts'
import type { MemoryRows } from './memory-rows.ts'
import { copyRow, globalsOf, type MemoryTable, matches, type PageRequest, uniquesOf } from './memory-table.ts'
import { isLeased } from './pending-deliveries.ts'

/**
 * What one unit of work has written, kept apart from the committed rows until `commit` moves it there in one step.
 * A reader never sees half of it, and a rollback just drops it.
 */
export class MemoryTransaction {
  readonly scope: Scope
  readonly rows: MemoryRows
  open = true
  readonly #tables = new Map<TableName, PendingTable>()

  constructor(rows: MemoryRows, scope: Scope) {
    this.rows = rows
    this.scope = scope
  }

  table(name: TableName): PendingTable {
    const known = this.#tables.get(name)
    if (known !== undefined) return known
    const created = new PendingTable(this, this.rows.table(name, this.scope))
    this.#tables.set(name, created)
    return created
  }

  /** There is no handle that a host could use. */
  get native(): undefined {
    this.assertOpen()
    return undefined
  }

  assertOpen(): void {
    if (!this.open) throw new Error('this transaction has ended')
  }

  /** Nothing to lock: transactions run one after another. */
  async lockScope(): Promise<void> {
    this.assertOpen()
  }

  async leaseDeliveries({ ids, real_at, lease_until, per_workspace }: LeaseRequest): Promise<boolean> {
    this.assertOpen()
    const deliveries = this.table('deliveries')
    const { workspace, livemode } = this.scope
    const others = this.rows.deliveries
      .leased(workspace, real_at)
      .filter((row) => row.livemode !== livemode || !deliveries.written.has(row.id))
    const own = [...deliveries.written.values()].filter((row) => isLeased(row, real_at))
    if (others.length + own.length + ids.length > per_workspace) return false
    for (const id of ids) {
      const row = await deliveries.lock(id)
      if (row !== undefined) await deliveries.update({ ...row, lease: Number(row.lease) + 1, lease_until })
    }
    return true
  }

  commit(): void {
    for (const table of this.#tables.values()) table.commit()
  }
}

class PendingTable {
  readonly #transaction: MemoryTransaction
  readonly #committed: MemoryTable
  /** Rows written by this transaction; undefined for a row it deleted. */
  readonly written = new Map<string, StoredRow | undefined>()
  /** The unique values of the written rows, each with the id of its row. */
  readonly #taken = new Map<string, string>()

  constructor(transaction: MemoryTransaction, committed: MemoryTable) {
    this.#transaction = transaction
    this.#committed = committed
  }

  async get(id: string): Promise<StoredRow | undefined> {
    const row = this.#row(id)
    return row && copyRow(row)
  }

  /** Transactions run one after another, so that every row is locked already. */
  lock(id: string): Promise<StoredRow | undefined> {
    return this.get(id)
  }

  async page(request: PageRequest): Promise<StoredRow[]> {
    this.#transaction.assertOpen()
    const { where, after, limit } = request
    const found = this.#committed.page(request, this.written)
    for (const row of this.written.values()) {
      if (row === undefined || (after !== undefined && row.id >= after)) continue
      if (matches(row, where)) found.push(row)
    }
    if (this.written.size > 0) found.sort((a, b) => (a.id < b.id ? 1 : -1))
    return found.slice(0, limit).map(copyRow)
  }

  async insert(row: StoredRow): Promise<void> {
    if (!this.#insert(row)) throw new Error(`a unique constraint of ${this.#committed.name} is taken`)
  }

  async insertNew(row: StoredRow): Promise<boolean> {
    return this.#insert(row)
  }

  async update(row: StoredRow): Promise<void> {
    this.#assertOwn(row)
    if (this.#row(row.id) === undefined)
      throw new Error(`${this.#committed.name} has no row ${row.id} to update`)
    if (this.#isTaken(row)) throw new Error(`a unique constraint of ${this.#committed.name} is taken`)
    this.#write(row.id, copyRow(row))
  }

  async delete(id: string): Promise<void> {
    if (this.#row(id) !== undefined) this.#write(id, undefined)
  }

  commit(): void {
    const { rows } = this.#transaction
    // Deletions first: another row may have taken over a unique value.
    for (const [id, row] of this.written) if (row === undefined) rows.remove(this.#committed, id)
    for (const row of this.written.values()) if (row !== undefined) rows.put(this.#committed, row)
  }

  #insert(row: StoredRow): boolean {
    this.#assertOwn(row)
    if (this.#row(row.id) !== undefined || this.#isTaken(row)) return false
    this.#write(row.id, copyRow(row))
    return true
  }

  #row(id: string): StoredRow | undefined {
    this.#transaction.assertOpen()
    return this.written.has(id) ? this.written.get(id) : this.#committed.rows.get(id)
  }

  #write(id: string, row: StoredRow | undefined): void {
    const old = this.written.get(id)
    if (old !== undefined) for (const unique of this.#uniquesOf(old)) this.#taken.delete(unique)
    if (row !== undefined) for (const unique of this.#uniquesOf(row)) this.#taken.set(unique, id)
    this.written.set(id, row)
  }

  /** Whether a unique value of `row` belongs to another row, as this transaction sees them. */
  #isTaken(row: StoredRow): boolean {
    const { name } = this.#committed
    const { rows, scope } = this.#transaction
    const isAnother = (id: string | undefined) => id !== undefined && id !== row.id
    if (this.#uniquesOf(row).some((unique) => isAnother(this.#taken.get(unique)))) return true
    const isHeld = (id: string | undefined) => id !== undefined && isAnother(id) && !this.written.has(id)
    if (uniquesOf(name, row).some((unique) => isHeld(this.#committed.holder(unique)))) return true
    return globalsOf(name, row).some((unique) => {
      const holder = rows.globalHolder(unique)
      if (holder === undefined) return false
      return holder.workspace !== scope.workspace || holder.livemode !== scope.livemode || isHeld(holder.id)
    })
  }

  #uniquesOf(row: StoredRow): string[] {
    const { name } = this.#committed
    return [...uniquesOf(name, row), ...globalsOf(name, row)]
  }

  #assertOwn(row: StoredRow): void {
    const { workspace, livemode } = this.#transaction.scope
    if (row.workspace !== workspace || row.livemode !== livemode) {
      throw new Error(`a row of ${this.#committed.name} belongs to another workspace or environment`)
    }
  }
}
