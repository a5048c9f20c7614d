import type { Reads, Scope, Store, TableName, WriteTable } from '@quittance/core'
import { bound, isTable, withOwn } from '../../src/ports/around.ts'
import type { AnyRow } from '../../src/store/sample-row.ts'

/** What a mistaken store does otherwise than a sound one. */
export type Mistake = (sound: Store) => Partial<Store>

/** By what is wrong with the store, the sentence of the contract suite that finds it, or does not end, and the mistake. */
export type Mistakes = Record<string, { sentence: string; makes: Mistake; hangs?: 'hangs' }>

export type AnyTable = WriteTable<AnyRow>

/** What a table has instead of its own. */
type Change = (table: AnyTable, name: TableName, scope: Scope) => Partial<AnyTable>

/** Every table of every unit of work and read, but for what `change` has. */
export function tablesWith(sound: Store, change: Change): Pick<Store, 'transaction' | 'read'> {
  return { ...unitsWith(sound, change), ...readsWith(sound, change) }
}

export function unitsWith(sound: Store, change: Change): Pick<Store, 'transaction'> {
  return {
    transaction: (scope, work) =>
      sound.transaction(scope, (tx) => work(changed(tx, (table, name) => change(table, name, scope)))),
  }
}

export function readsWith(sound: Store, change: Change): Pick<Store, 'read'> {
  return {
    read: (scope, work) =>
      sound.read(scope, (rows) => work(changed(rows, (table, name) => change(table, name, scope)))),
  }
}

/** Every row, as it comes out. */
export function rowsAs(sound: Store, as: (row: AnyRow) => AnyRow): Pick<Store, 'transaction' | 'read'> {
  const one = (row: AnyRow | undefined) => row && as(row)
  return tablesWith(sound, (table) => ({
    get: async (id) => one(await table.get(id)),
    lock: async (id) => one(await table.lock(id)),
    page: async (request) => (await table.page(request)).map(as),
  }))
}

/** Every column of a row, as it comes out. */
export function columnsAs(sound: Store, as: (value: unknown, column: string) => unknown) {
  return rowsAs(sound, (row) => {
    const columns = Object.entries(row).map(([column, value]) => [column, as(value, column)])
    return { ...row, ...Object.fromEntries(columns) }
  })
}

function changed<Rows extends Reads>(
  rows: Rows,
  change: (table: AnyTable, name: TableName) => Partial<AnyTable>,
): Rows {
  return new Proxy(rows, {
    get(target, name) {
      if (!isTable(name)) return bound(target, name)
      // Of a read it has no more than `get` and `page`, and nobody asks for more.
      const table = target[name] as unknown as AnyTable
      return withOwn(table, change(table, name))
    },
  })
}
