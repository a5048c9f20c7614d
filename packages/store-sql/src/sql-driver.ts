import type { Scope, TableName } from '@quittance/core'
import type { Statement } from './dialect.ts'
import type { SqlRow } from './row-codec.ts'
import type { Statements } from './statements.ts'

/** Runs statements, synchronously or not, and caches what it prepares for each. */
export interface SqlReader {
  all(statement: Statement, parameters: unknown[]): SqlRow[] | PromiseLike<SqlRow[]>
}

export interface SqlDriver extends SqlReader {
  /** How many rows were written. */
  run(statement: Statement, parameters: unknown[]): number | PromiseLike<number>
  /**
   * A write whose result nobody needs. It may be sent with the next statement that needs one, or with COMMIT, which then fails
   * in its place.
   */
  write(statement: Statement, parameters: unknown[]): unknown
  /** Set if the transaction is shared by several units, which no lock of the database keeps apart. */
  readonly sharing?: Sharing
}

/** Called before each statement. Throws if the unit needs a transaction of its own. */
export interface Sharing {
  locks(table: TableName, id: string): void
  writes(table: TableName, id: string): void
  /** Without a lock. */
  reads(table: TableName): void
  /** For what cannot be shared at all. */
  leave(): never
}

/** What the reads over all scopes need. */
export interface Connected<Driver extends SqlReader = SqlReader> {
  readonly statements: Statements
  readonly driver: Driver
}

export interface SqlSession<Driver extends SqlReader = SqlDriver> extends Connected<Driver> {
  readonly scope: Scope
}

export interface SqlUnit extends SqlSession {
  native(): unknown
}
