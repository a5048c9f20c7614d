import type { StoredRow } from '../ports/per-table.ts'
import type { Page } from '../ports/store.ts'
import { type TableName, tables } from '../ports/tables.ts'
import { SortedIds } from './sorted-ids.ts'

/** For any table. */
export type PageRequest = Page<Record<string, unknown>>

/** The committed rows of one table in one scope, their unique constraints and their order. */
export class MemoryTable {
  readonly name: TableName
  readonly rows = new Map<string, StoredRow>()
  readonly #taken = new Map<string, string>()
  readonly #all = new SortedIds()
  readonly #filtered = new Map<string, SortedIds>()
  readonly #indexes: readonly (readonly string[])[]

  constructor(name: TableName) {
    this.name = name
    this.#indexes = indexesOf(name)
  }

  /** The id of the row that has this value of a unique constraint, if any. */
  holder(unique: string): string | undefined {
    return this.#taken.get(unique)
  }

  put(row: StoredRow): void {
    const old = this.rows.get(row.id)
    this.rows.set(row.id, row)
    if (old === undefined) this.#all.add(row.id)
    else this.#release(old)
    for (const unique of uniquesOf(this.name, row)) this.#taken.set(unique, row.id)
    for (const columns of this.#indexes) {
      const key = indexKey(columns, row)
      const old_key = old === undefined ? undefined : indexKey(columns, old)
      if (key === old_key) continue
      if (old_key !== undefined) this.#filtered.get(old_key)?.delete(row.id)
      const ids = this.#filtered.get(key) ?? new SortedIds()
      this.#filtered.set(key, ids)
      ids.add(row.id)
    }
  }

  remove(id: string): void {
    const old = this.rows.get(id)
    if (old === undefined) return
    this.rows.delete(id)
    this.#all.delete(id)
    this.#release(old)
    for (const columns of this.#indexes) this.#filtered.get(indexKey(columns, old))?.delete(id)
  }

  /** The rows of a page, leaving out those that `without` has. */
  page(request: PageRequest, without?: ReadonlyMap<string, unknown>): StoredRow[] {
    const found: StoredRow[] = []
    for (const id of this.#idsFor(request.where)?.descending(request.after) ?? []) {
      if (found.length >= request.limit) break
      const row = this.rows.get(id)
      if (row !== undefined && !without?.has(id) && matches(row, request.where)) found.push(row)
    }
    return found
  }

  /** Frees the unique values of `old`, except those that another row of the same transaction has taken over. */
  #release(old: StoredRow): void {
    for (const unique of uniquesOf(this.name, old)) {
      if (this.#taken.get(unique) === old.id) this.#taken.delete(unique)
    }
  }

  /** A list of ids that contains every row of `where`: that of the first index that fits, else all ids. */
  #idsFor(where: Readonly<Record<string, unknown>>): SortedIds | undefined {
    const index = this.#indexes.find((columns) => columns.every((column) => column in where))
    return index === undefined ? this.#all : this.#filtered.get(indexKey(index, where))
  }
}

/** The declared filters, and for deliveries (endpoint, status): disabling an endpoint cancels its pending ones. */
function indexesOf(name: TableName): readonly (readonly string[])[] {
  const filters = tables[name].filters.map((column) => [column])
  return name === 'deliveries' ? [['endpoint', 'status'], ...filters] : filters
}

function indexKey(columns: readonly string[], row: Readonly<Record<string, unknown>>): string {
  let key = ''
  for (const column of columns) key += `${column}=${row[column]}\n`
  return key
}

/** The values this row takes in the table's unique constraints: none for a constraint with a null column. */
export function uniquesOf(name: TableName, row: StoredRow): string[] {
  const taken: string[] = []
  for (const columns of tables[name].unique) {
    if (columns.every((column) => row[column] !== null)) taken.push(indexKey(columns, row))
  }
  return taken
}

/** The values this row takes in constraints that are unique over all scopes. */
export function globalsOf(name: TableName, row: StoredRow): string[] {
  const table = tables[name]
  return 'global' in table ? table.global.map((column) => `${name}.${column}=${row[column]}`) : []
}

export function matches(row: StoredRow, where: Readonly<Record<string, unknown>>): boolean {
  for (const column in where) if (row[column] !== where[column]) return false
  return true
}

/** A copy that shares nothing with the row, so that callers cannot change what is stored. */
export function copyRow(row: StoredRow): StoredRow {
  const copy: Record<string, unknown> & StoredRow = { ...row }
  for (const column in copy) {
    const value = copy[column]
    if (typeof value === 'object' && value !== null) copy[column] = copyValue(value)
  }
  return copy
}

function copyValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(copyValue)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copyValue(inner)]))
}
