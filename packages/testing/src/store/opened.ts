import {
  type JoinedStore,
  ok,
  type Reads,
  type ReadTable,
  type Result,
  type Scope,
  type Store,
  type TableName,
  type Transaction,
  type WriteTable,
} from '@quittance/core'
import { afterEach, beforeEach, suite_timeout } from '../suite.ts'
import type { Host, OpenedStore, OpenStore } from './open-store.ts'
import type { AnyRow } from './sample-row.ts'

/** Opens and migrates a store before each test of the surrounding `describe`, and closes it after. */
export function eachOpened(open: OpenStore): () => OpenedStore {
  let current: OpenedStore | undefined
  beforeEach(async () => {
    current = await open()
    await current.store.migrate()
  }, suite_timeout.timeout)
  afterEach(async () => {
    await current?.close()
    current = undefined
  }, suite_timeout.timeout)
  return () => {
    if (current === undefined) throw new Error('a store is open only inside a test')
    return current
  }
}

/** The store and host, for a store that joins transactions. */
export function withHost({ store, host }: OpenedStore): { store: Store; host: Host } {
  if (host === undefined) throw new Error('a store that joins transactions needs `host`')
  return { store, host }
}

/** A transaction that the host has opened, and the store in it. */
export async function joinHost(opened: OpenedStore, kind: string) {
  const { store, host } = withHost(opened)
  const transaction = await host.begin(kind)
  return { store, transaction, joined: store.join(transaction.native) }
}

/** Lends `run` the store and a second one on its rows, as another process has it. */
export async function withAnother(
  { store, reopen }: OpenedStore,
  run: (store: Store, another: Store) => Promise<void>,
): Promise<void> {
  const another = await reopen?.()
  if (another === undefined) throw new Error('a store with `processes` or `lasts` needs `reopen`')
  try {
    await run(store, another)
  } finally {
    await another.close()
  }
}

export const here: Scope = { workspace: 'workspace-a', livemode: false }
export const live: Scope = { workspace: 'workspace-a', livemode: true }
export const elsewhere: Scope = { workspace: 'workspace-b', livemode: false }

/** Runs a unit of work that must commit. */
export async function commit(
  store: Store,
  scope: Scope,
  work: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const result = await unit(store, scope, async (tx) => {
    await work(tx)
    return ok(undefined)
  })
  if (result.isErr()) throw new Error('a unit that gave Ok was refused')
}

/** `transaction` as a promise, so that `rejects` can look at it. */
export async function unit<Value, Refusal>(
  store: Store,
  scope: Scope,
  work: (tx: Transaction) => PromiseLike<Result<Value, Refusal>>,
): Promise<Result<Value, Refusal>> {
  return await store.transaction(scope, work)
}

/** Inserts rows, each into its table. */
export function seed(
  store: Store,
  scope: Scope,
  rows: readonly (readonly [TableName, AnyRow])[],
): Promise<void> {
  return commit(store, scope, async (tx) => {
    for (const [name, row] of rows) await writing(tx, name).insert(row)
  })
}

/** Rows of one table, as `seed` takes them. */
export function rowsOf(name: TableName, rows: readonly AnyRow[]): [TableName, AnyRow][] {
  return rows.map((row) => [name, row])
}

export function find(store: Store, scope: Scope, name: TableName, id: string): Promise<AnyRow | undefined> {
  return store.read(scope, (rows) => reading(rows, name).get(id))
}

/** The rows of a table in a scope, the highest id first. */
export function everyRow(store: JoinedStore, scope: Scope, name: TableName): Promise<AnyRow[]> {
  return store.read(scope, (rows) => reading(rows, name).page({ where: {}, limit: 9_999 }))
}

/** A table whose name is a variable: its rows are any rows. */
export function writing(tx: Transaction, name: TableName): WriteTable<AnyRow> {
  return tx[name] as unknown as WriteTable<AnyRow>
}

export function reading(rows: Reads, name: TableName): ReadTable<AnyRow> {
  return rows[name] as unknown as ReadTable<AnyRow>
}

export const turnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve))
