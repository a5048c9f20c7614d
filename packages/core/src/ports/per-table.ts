import type { LeaseRequest, Reads, ReadTable, ScopeLock, Transaction, WriteTable } from './store.ts'
import { type TableName, tables } from './tables.ts'

/** What a store knows of any row. */
export interface StoredRow {
  readonly workspace: string
  readonly livemode: boolean
  readonly id: string
  readonly [column: string]: unknown
}

type OwnOfTransaction = Omit<Transaction, TableName>

/** The tables of a read, for stores that treat all tables alike. `make` runs whenever a table is accessed. */
export function perTable(make: (table: TableName) => ReadTable<StoredRow>): Reads
/** A transaction: its tables, and its other members, which come from `own`. */
export function perTable(
  make: (table: TableName) => WriteTable<StoredRow>,
  own: OwnOfTransaction,
): Transaction
export function perTable(make: (table: TableName) => object, own?: OwnOfTransaction): object {
  return own === undefined ? new PerTable(make) : new TablesOfUnit(make, own)
}

class PerTable {
  readonly make: (table: TableName) => object

  constructor(make: (table: TableName) => object) {
    this.make = make
  }
}

// On the prototype: a unit of work touches few tables, and makes objects for those only.
for (const name of Object.keys(tables) as TableName[]) {
  Object.defineProperty(PerTable.prototype, name, {
    get(this: PerTable) {
      return this.make(name)
    },
  })
}

class TablesOfUnit extends PerTable implements OwnOfTransaction {
  readonly own: OwnOfTransaction

  constructor(make: (table: TableName) => object, own: OwnOfTransaction) {
    super(make)
    this.own = own
  }

  get native(): unknown {
    return this.own.native
  }

  lockScope(mode: ScopeLock): PromiseLike<void> {
    return this.own.lockScope(mode)
  }

  leaseDeliveries(request: LeaseRequest): PromiseLike<boolean> {
    return this.own.leaseDeliveries(request)
  }
}
