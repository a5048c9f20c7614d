import type { Store } from '@quittance/core'

/** The shop's own database, in which the engine keeps its tables too. The rest of the shop does not know which it is. */
export interface ShopDatabase {
  store: Store
  query: Query
  /** Runs statements that create what is missing, in one process at a time. */
  create(statements: string): Promise<void>
  /** One transaction, rolled back if `work` throws or resolves to null. The engine joins it by its `handle`. */
  transaction<Value>(work: (query: Query, handle: unknown) => Promise<Value | null>): Promise<Value | null>
  /** Runs statements in the transaction whose handle a listener of the engine got. */
  within(handle: unknown): Query
  close(): Promise<void>
}

/** Runs one statement, with a `?` for each value, and resolves to its rows. */
export type Query = <Row>(sql: string, ...values: (string | number | null)[]) => Promise<Row[]>
