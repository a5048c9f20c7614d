import type { Store } from '@quittance/core'
import { describe } from 'vitest'
import { describeClaims } from './store/describe-claims.ts'
import { describeColumns } from './store/describe-columns.ts'
import { describeConcurrency } from './store/describe-concurrency.ts'
import { describeDue } from './store/describe-due.ts'
import { describeJoinedEngine } from './store/describe-joined-engine.ts'
import { describeJoining } from './store/describe-joining.ts'
import { describeMigrations } from './store/describe-migrations.ts'
import { describePages } from './store/describe-pages.ts'
import { describeScopes } from './store/describe-scopes.ts'
import { describeTransactions } from './store/describe-transactions.ts'
import { describeUniques } from './store/describe-uniques.ts'

/** A store without rows, opened for one test. The suite migrates it. */
export interface OpenedStore {
  store: Store
  /**
   * A second store on the same rows, as another process would have it. Left out where the rows live in this
   * process alone; the tests about several processes and about what survives one are then not registered.
   */
  reopen?: () => Promise<Store>
  /** A host in the same database, with a table of its own. Needed where the store joins transactions. */
  host?: Host
  /** Closes `store` and removes the rows. Stores from `reopen` are closed by the tests. */
  close(): Promise<void>
}

export interface Host {
  /** Opens a transaction of one of the `joins`. */
  begin(kind: string): Promise<HostTransaction>
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

/**
 * The contract of the storage port, sentence by sentence: a store is done when it passes. `open` is called
 * once for every test; `processes` says whether what it opens has `reopen`, and `joins` names the kinds of
 * transaction that a host of this store can have joined: none, where nothing is said.
 */
export function describeStore(
  name: string,
  open: OpenStore,
  options: { processes: boolean; joins?: readonly string[] },
): void {
  describe(`${name} keeps the contract of a store`, () => {
    describeTransactions(open)
    describeScopes(open)
    describeUniques(open)
    describePages(open)
    describeColumns(open)
    describeDue(open)
    describeClaims(open)
    describeConcurrency(open, options)
    describeMigrations(open, options)
    describeJoining(open, options.joins ?? [])
    describeJoinedEngine(open, options.joins ?? [])
  })
}
