import { type Scope, type TableName, type Tables, tables } from '@quittance/core'
import type { Rows } from './rows.ts'

/** A row that a unit of work wrote; null: it deleted the row. */
export interface Write {
  table: TableName
  id: string
  is: Tables[TableName] | null
}

/** A row that a commit changed, as it was and as it is. */
export interface Changed<Name extends TableName> extends Scope {
  table: Name
  id: string
  was: Tables[Name] | undefined
  is: Tables[Name] | undefined
}

export type Change = { [Name in TableName]: Changed<Name> }[TableName]

type Table = Map<string, Tables[TableName]>

/** A copy of every committed row, updated with each commit, so that a check reads nothing from the store. */
export class Book {
  readonly #tables = new Map<string, Table>()
  #commits = 0

  get commits(): number {
    return this.#commits
  }

  table<Name extends TableName>(scope: Scope, name: Name): ReadonlyMap<string, Tables[Name]> {
    // Only rows of the table are kept under its name: `commit` puts nothing else there.
    return this.#table(scope, name) as unknown as ReadonlyMap<string, Tables[Name]>
  }

  /** Applies what a unit of work wrote. Returns each row that it changed, once: as it was, and as it is. */
  commit(scope: Scope, writes: readonly Write[]): Change[] {
    this.#commits += 1
    const changes = new Map<string, Change>()
    for (const { table: name, id, is } of writes) {
      const table = this.#table(scope, name)
      const key = `${name} ${id}`
      const was = (changes.get(key) ?? { was: table.get(id) }).was
      if (is === null) table.delete(id)
      else table.set(id, is)
      changes.set(key, { ...scope, table: name, id, was, is: is ?? undefined } as Change)
    }
    return [...changes.values()]
  }

  /** All rows of a scope, oldest first. */
  rows(scope: Scope): Rows {
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
    const of = (name: TableName) => [...this.#table(scope, name).values()].sort(byId)
    return Object.fromEntries(
      (Object.keys(tables) as TableName[]).map((name) => [name, of(name)]),
    ) as unknown as Rows
  }

  #table({ workspace, livemode }: Scope, name: TableName): Table {
    const key = `${name} ${livemode} ${workspace}`
    const known = this.#tables.get(key)
    if (known !== undefined) return known
    const created: Table = new Map()
    this.#tables.set(key, created)
    return created
  }
}
