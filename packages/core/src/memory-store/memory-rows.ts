import type { StoredRow } from '../ports/per-table.ts'
import type { DueRequest, DueRow, Scope } from '../ports/store.ts'
import type { TableName } from '../ports/tables.ts'
import { globalsOf, MemoryTable } from './memory-table.ts'
import { PendingDeliveries } from './pending-deliveries.ts'
import { before, TimeQueue } from './time-queue.ts'

interface RowKey extends Scope {
  table: TableName
  id: string
}

/** Everything that is committed. A commit is one synchronous change, so that nobody reads half a transaction. */
export class MemoryRows {
  readonly due = new TimeQueue<RowKey>()
  readonly deliveries = new PendingDeliveries()
  readonly #tables = new Map<string, MemoryTable>()
  readonly #globals = new Map<string, RowKey>()

  table(name: TableName, scope: Scope): MemoryTable {
    const key = `${name} ${scope.livemode} ${scope.workspace}`
    const known = this.#tables.get(key)
    if (known !== undefined) return known
    const created = new MemoryTable(name)
    this.#tables.set(key, created)
    return created
  }

  /** The ids of all workspaces: the row of each is in the sandbox's scope. */
  workspaces(): string[] {
    const prefix = 'workspaces false '
    const filled = [...this.#tables].filter(([key, { rows }]) => key.startsWith(prefix) && rows.size > 0)
    return filled.map(([key]) => key.slice(prefix.length))
  }

  get({ table, id, ...scope }: RowKey): StoredRow | undefined {
    return this.table(table, scope).rows.get(id)
  }

  /** The row that has this value of a constraint that is unique over all scopes. */
  globalHolder(unique: string): RowKey | undefined {
    return this.#globals.get(unique)
  }

  put(table: MemoryTable, row: StoredRow): void {
    const { name } = table
    const old = table.rows.get(row.id)
    table.put(row)
    const key: RowKey = { table: name, id: row.id, workspace: row.workspace, livemode: row.livemode }
    if (old !== undefined) this.#release(table, old)
    for (const unique of globalsOf(name, row)) this.#globals.set(unique, key)
    if (typeof row.due_at === 'string') this.due.set(nameOf(key), row.due_at, key)
    else if (typeof old?.due_at === 'string') this.due.set(nameOf(key), null, key)
    if (name === 'deliveries') this.deliveries.set(row)
  }

  remove(table: MemoryTable, id: string): void {
    const old = table.rows.get(id)
    if (old === undefined) return
    table.remove(id)
    const key: RowKey = { table: table.name, id, workspace: old.workspace, livemode: old.livemode }
    this.#release(table, old)
    if (typeof old.due_at === 'string') this.due.set(nameOf(key), null, key)
    if (table.name === 'deliveries') this.deliveries.delete(old)
  }

  dueRows({ at, after, limit }: DueRequest): DueRow[] {
    const last = after && { at: after.due_at, key: nameOf(after) }
    const entries = this.due.earliest(at, limit, (entry) => last === null || before(last, entry))
    return entries.map(({ at: due_at, value }) => ({ ...value, due_at }))
  }

  #release(table: MemoryTable, old: StoredRow): void {
    for (const unique of globalsOf(table.name, old)) {
      if (this.#globals.get(unique)?.id === old.id) this.#globals.delete(unique)
    }
  }
}

function nameOf({ table, workspace, livemode, id }: RowKey): string {
  return `${table} ${livemode} ${workspace} ${id}`
}
