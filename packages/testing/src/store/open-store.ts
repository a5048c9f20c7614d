import type { Store } from '@quittance/core'

/** A store that was never migrated, opened for one test: the suite migrates it, and asks what was pending. */
export interface OpenedStore {
  store: Store
  /**
   * A second store on the same rows, as another process would have it: with `processes` even while `store` is open, with
   * `lasts` alone only once `store` is closed. Left out if the rows live only in this process.
   */
  reopen?: () => Promise<Store>
  /** A host in the same database, with a table of its own. Needed if the store joins transactions. */
  host?: Host
  /** Closes `store` and removes the rows. Stores from `reopen` are closed by the tests. */
  close(): Promise<void>
}

export interface Host {
  /** Opens a transaction of one of the `joins`. */
  begin(kind: string): Promise<HostTransaction>
  /** Opens a transaction in another database, which has the store's tables too, if there they can have the same names. */
  beginElsewhere(): Promise<Pick<HostTransaction, 'native' | 'rollback'>>
  /** Writes to the host's table on the `native` of one of the store's own units, as a listener does. */
  write(native: unknown, id: string): Promise<void>
  /** The ids that the host has committed to its table. */
  orders(): Promise<string[]>
}

export interface HostTransaction {
  /** What the host hands to `join`. */
  readonly native: unknown
  /** Writes to the host's table in this transaction. */
  order(id: string): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
}

export type OpenStore = () => Promise<OpenedStore>
