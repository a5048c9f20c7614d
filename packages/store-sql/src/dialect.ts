import type { ScopeLock, TableName } from '@quittance/core'
import type { Kysely } from 'kysely'
import type { Column } from './columns.ts'
import type { Encoding, SqlRow } from './row-codec.ts'

/** A compiled statement. There is one object per statement, under which a driver can cache what it prepared. */
export interface Statement {
  readonly sql: string
  /** The same for several rows: each parameter is an array, with a value for each row. */
  readonly many?: Statement | undefined
}

/** Any table, by name: tables and columns are known only from the records' schemas, at run time. */
export type AnyDatabase = Record<string, Record<string, unknown>>

export interface Dialect extends Encoding {
  /** Only builds and compiles queries, whose `''` and 0 become parameters; its driver is never used. */
  readonly kysely: Kysely<AnyDatabase>
  /** Rows are locked with FOR UPDATE, everything else with these. Null if all writers wait for each other. */
  readonly locks: Locks | null
  /** Null if leases have an index; otherwise the list that names the deliveries that may hold a lease. */
  readonly leaseList: LeaseList | null
  /** For a driver of the host's, which may make JSON of whatever goes into a column of JSON, also of text that is JSON already. */
  readonly jsonAsText?: boolean
  /** Null if a statement costs hardly more than a row. */
  readonly many: ManyRows | null
  /** The name of a table of the port in this database. */
  table(name: TableName): string
}

export interface Locks {
  /**
   * Locks a scope: one row, `stale`, which says whether later reads still see what was there when the transaction began.
   * Parameters: workspace, livemode.
   */
  readonly scope: Readonly<Record<ScopeLock, Statement>>
  /**
   * Takes the lock under which deliveries of a workspace are leased, if nobody has it: one row, `locked`. Parameter:
   * workspace.
   */
  readonly leases: Statement
}

/** Statements for several rows, with the parameters of those for one row, each as an array. */
export interface ManyRows {
  /** Locks rows in the order of their keys. It may miss a row that is committed while it waits for another. */
  lock(name: TableName): Statement
  /** Writes rows that were locked or inserted in the same transaction. It could miss a row that others may change meanwhile. */
  update(name: TableName, columns: readonly Column[]): Statement
}

/** A list of the deliveries that may hold a lease: all that do, and some that were released. */
interface LeaseList {
  /** Parameters: workspace, livemode, id. */
  readonly add: Statement
  /** Parameters: workspace, real_at. One row, `live`: how many live leases the workspace has. */
  readonly count: Statement
  /** Removes deliveries whose lease was released; for whoever holds the lock of leases. Parameter: workspace. */
  readonly clear: Statement
}

export function compiled(query: { compile(): Statement }): Statement {
  return { sql: query.compile().sql }
}

/** The query for one row alone. Its last parameters: workspace, livemode, id. */
export function toRow<Query extends { where(column: string, is: '=', value: ''): Query }>(
  query: Query,
): Query {
  return query.where('workspace', '=', '').where('livemode', '=', '').where('id', '=', '')
}

/** Throws if the lock of a scope says that what is read after it is stale. */
export function refuseStale([locked]: readonly SqlRow[]): void {
  if (locked?.stale !== true) return
  throw new Error(
    'The transaction reads as of its first statement, and could miss webhook endpoints: begin it at READ COMMITTED.',
  )
}
