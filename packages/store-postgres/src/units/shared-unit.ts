import type { TableName } from '@quittance/core'
import type { Sharing, SqlDriver, SqlRow, Statement, Statements } from '@quittance/store-sql'
import type { PostgresTransaction } from './postgres-transaction.ts'
import { isKept, type Outcome, type Unit } from './unit.ts'

/** By row, the unit that has locked or written it, of all units of this process that share a transaction with others. */
export type RowOwners = Map<string, SharedUnit>

export interface SharedTransaction {
  readonly transaction: PostgresTransaction
  readonly members: readonly SharedUnit[]
  readonly owners: RowOwners
}

/**
 * A run of a unit in a shared transaction. Postgres keeps transactions apart, not units, so this does: a row that one unit has
 * locked or written is closed to the others, and a table to which one has written is not read by others while that unit runs.
 * A unit that meets either, or does what cannot be shared at all, leaves, and runs again in a transaction of its own.
 */
export class SharedUnit implements SqlDriver, Sharing {
  readonly sharing = this
  readonly unit: Unit
  readonly #transaction: PostgresTransaction
  readonly #members: readonly SharedUnit[]
  readonly #owners: RowOwners
  readonly #owned: string[] = []
  /** The tables that it may have written to. */
  readonly #written = new Set<string>()
  /** How many of its statements have written, or may still. */
  #writes = 0
  #outcome: Outcome | undefined
  #must_rerun = false

  constructor(unit: Unit, { transaction, members, owners }: SharedTransaction) {
    this.unit = unit
    this.#transaction = transaction
    this.#members = members
    this.#owners = owners
  }

  async work(statements: Statements): Promise<void> {
    this.#outcome = await this.unit.run({ statements, driver: this, native: () => this.leave() })
  }

  /** Whether it has written what must not be committed. */
  get spoils(): boolean {
    return this.#writes > 0 && (this.#must_rerun || !isKept(this.#outcome))
  }

  /** To call if the transaction is rolled back. */
  rerun(): void {
    this.#must_rerun = true
  }

  /** To call once the transaction is over. */
  releaseRows(): void {
    for (const row of this.#owned) this.#owners.delete(row)
  }

  /** Gives the unit its outcome. False if there is none from here: then it has to run again. */
  settle(): boolean {
    if (this.#must_rerun || this.#outcome === undefined) return false
    this.unit.settle(this.#outcome)
    return true
  }

  all(statement: Statement, values: unknown[]): Promise<SqlRow[]> {
    return this.#transaction.all(statement, values)
  }

  async run(statement: Statement, values: unknown[]): Promise<number> {
    this.#writes += 1
    const rows = await this.#transaction.run(statement, values)
    if (rows === 0) this.#writes -= 1
    return rows
  }

  write(statement: Statement, values: unknown[]): Promise<void> {
    this.#writes += 1
    return this.#transaction.write(statement, values)
  }

  locks(table: TableName, id: string): void {
    const row = `${this.#inScope(table)} ${id}`
    const owner = this.#owners.get(row)
    if (owner === this) return
    if (owner !== undefined) this.leave()
    this.#owners.set(row, this)
    this.#owned.push(row)
  }

  writes(table: TableName, id: string): void {
    this.locks(table, id)
    this.#written.add(this.#inScope(table))
  }

  /** Only what running units wrote: what ended units wrote commits with the reader, or is undone with it. */
  reads(table: TableName): void {
    const name = this.#inScope(table)
    for (const other of this.#members)
      if (other !== this && other.#outcome === undefined && other.#written.has(name)) this.leave()
  }

  /** What it has written, or still writes, is spoiled. */
  leave(): never {
    this.#must_rerun = true
    throw new Error('this unit of work needs a transaction of its own')
  }

  #inScope(table: TableName): string {
    const { workspace, livemode } = this.unit.scope
    return `${workspace} ${livemode} ${table}`
  }
}
