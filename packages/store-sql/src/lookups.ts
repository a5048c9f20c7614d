import type { DueRequest, DueRow, Store, TableName } from '@quittance/core'
import { timedTables } from './columns.ts'
import type { SqlRow } from './row-codec.ts'
import type { Connected } from './sql-driver.ts'
import type { Statements } from './statements.ts'

/** Sorts behind the id of every workspace. */
const last_text = '\u{10ffff}'

/** What `Store.findApiKey` finds. */
export type FoundKey = NonNullable<Awaited<ReturnType<Store['findApiKey']>>>

export async function findApiKey(
  { statements, driver }: Connected,
  hash: string,
): Promise<FoundKey | undefined> {
  const [row] = await driver.all(statements.apiKey, [hash])
  return row && readApiKey(statements, row)
}

/** Decodes a row of `statements.apiKey`. */
export function readApiKey(statements: Statements, row: SqlRow): FoundKey {
  return {
    key: statements.table('api_keys').codec.decodeJoined(row),
    workspace: statements.table('workspaces').codec.decodeJoined(row),
  }
}

export async function workspaces(
  { statements, driver }: Connected,
  { after = '', limit }: { after?: string | undefined; limit: number },
): Promise<string[]> {
  const rows = await driver.all(statements.workspaces, [after, limit])
  return rows.map(({ id }) => String(id))
}

export async function due(
  { statements, driver }: Connected,
  { at, after, limit }: DueRequest,
): Promise<DueRow[]> {
  const of_table = (name: TableName) => [at, ...placeBehind(statements, name, after), limit]
  const parameters = [...timedTables.flatMap(of_table), limit]
  const rows = await driver.all(statements.due, parameters)
  return rows.map((row) => ({
    table: timedTables[Number(row.place)] as TableName,
    workspace: String(row.workspace),
    livemode: Boolean(row.livemode),
    id: String(row.id),
    due_at: String(row.due_at),
  }))
}

/** The `due_at`, livemode, workspace and id that rows of this table come behind. */
function placeBehind(statements: Statements, name: TableName, after: DueRow | null): unknown[] {
  if (after === null) return ['', statements.encodeBoolean(false), '', '']
  const { table, due_at, livemode, workspace, id } = after
  if (name === table) return [due_at, statements.encodeBoolean(livemode), workspace, id]
  // Of the rows due at the same time, all of an earlier table are before `after`, and all of a later one behind it.
  return [due_at, statements.encodeBoolean(name < table), name < table ? last_text : '', '']
}

export async function nextDue(
  { statements, driver }: Connected,
  after: string | null,
): Promise<Awaited<ReturnType<Store['nextDue']>>> {
  const [times = {}] =
    after === null
      ? await driver.all(statements.nextDue, [])
      : await driver.all(statements.nextDueAfter, [...timedTables.map(() => after), after])
  let row: string | null = null
  for (const name of timedTables) {
    const at = times[name]
    if (typeof at === 'string' && (row === null || at < row)) row = at
  }
  return { row, delivery: typeof times.delivery === 'string' ? times.delivery : null }
}
