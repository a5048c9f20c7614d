import {
  type LeaseRequest,
  type ScopeLock,
  type TableName,
  type Tables,
  type Transaction,
  tables,
} from '@quittance/core'
import type { Write } from '../invariants/book.ts'

/** The same transaction; `writes` is told of every row that it writes. */
export function recordedTransaction(tx: Transaction, writes: Write[]): Transaction {
  return new RecordedTransaction(tx, writes) as unknown as Transaction
}

class RecordedTransaction {
  readonly tx: Transaction
  readonly writes: Write[]

  constructor(tx: Transaction, writes: Write[]) {
    this.tx = tx
    this.writes = writes
  }

  get native(): unknown {
    return this.tx.native
  }

  lockScope(mode: ScopeLock) {
    return this.tx.lockScope(mode)
  }

  async leaseDeliveries(request: LeaseRequest) {
    const leased = await this.tx.leaseDeliveries(request)
    if (!leased) return false
    for (const id of request.ids) {
      const is = await this.tx.deliveries.get(id)
      if (is !== undefined) this.writes.push({ table: 'deliveries', id, is })
    }
    return true
  }
}

for (const name of Object.keys(tables) as TableName[]) {
  Object.defineProperty(RecordedTransaction.prototype, name, {
    get(this: RecordedTransaction) {
      return new RecordedTable(this.tx[name] as unknown as AnyTable, name, this.writes)
    },
  })
}

type AnyRow = Tables[TableName]

interface AnyTable {
  get(id: string): PromiseLike<AnyRow | undefined>
  page(request: object): PromiseLike<AnyRow[]>
  lock(id: string): PromiseLike<AnyRow | undefined>
  insert(row: AnyRow): PromiseLike<void>
  insertNew(row: AnyRow): PromiseLike<boolean>
  update(row: AnyRow): PromiseLike<void>
  delete(id: string): PromiseLike<void>
}

class RecordedTable implements AnyTable {
  readonly #table: AnyTable
  readonly #name: TableName
  readonly #writes: Write[]

  constructor(table: AnyTable, name: TableName, writes: Write[]) {
    this.#table = table
    this.#name = name
    this.#writes = writes
  }

  get(id: string) {
    return this.#table.get(id)
  }

  page(request: object) {
    return this.#table.page(request)
  }

  lock(id: string) {
    return this.#table.lock(id)
  }

  async insert(row: AnyRow) {
    await this.#table.insert(row)
    this.#wrote(row)
  }

  async insertNew(row: AnyRow) {
    const inserted = await this.#table.insertNew(row)
    if (inserted) this.#wrote(row)
    return inserted
  }

  async update(row: AnyRow) {
    await this.#table.update(row)
    this.#wrote(row)
  }

  async delete(id: string) {
    await this.#table.delete(id)
    this.#writes.push({ table: this.#name, id, is: null })
  }

  #wrote(row: AnyRow) {
    this.#writes.push({ table: this.#name, id: row.id, is: { ...row } })
  }
}
