import type { DueRow, Store, TableName, Tables } from '@quittance/core'
import { timedTables } from './columns.ts'
import type { SqlRow } from './row-codec.ts'
import type { SqlDriver } from './sql-tables.ts'
import type { Statement, Statements } from './statements.ts'

interface Connected {
  readonly statements: Statements
  readonly driver: SqlDriver
}

/** The reads that belong to no scope. */
export async function findApiKey(
  { statements, driver }: Connected,
  hash: string,
): Promise<Awaited<ReturnType<Store['findApiKey']>>> {
  const [found] = await driver.all(statements.apiKey, [hash])
  if (found === undefined) return undefined
  const key = statements.table('api_keys').codec.decode(found) as unknown as Tables['api_keys']
  const workspaces = statements.table('workspaces')
  // A workspace spans both environments; its row is in the sandbox's scope.
  const [workspace] = await driver.all(workspaces.get, [
    key.workspace,
    statements.encodeBoolean(false),
    key.workspace,
  ])
  if (workspace === undefined) return undefined
  return { key, workspace: workspaces.codec.decode(workspace) as unknown as Tables['workspaces'] }
}

export async function due(
  { statements, driver }: Connected,
  request: { at: string; limit: number },
): Promise<DueRow[]> {
  const { at, limit } = request
  const parameters = [...timedTables.flatMap(() => [at, limit]), limit]
  const rows = await driver.all(statements.due, parameters)
  return rows.map((row) => ({
    table: row.table as TableName,
    workspace: String(row.workspace),
    livemode: Boolean(row.livemode),
    id: String(row.id),
    due_at: String(row.due_at),
  }))
}

export async function nextDue({
  statements,
  driver,
}: Connected): Promise<Awaited<ReturnType<Store['nextDue']>>> {
  const first = async (statement: Statement) => timeOf(await driver.all(statement, []))
  let row: string | null = null
  for (const statement of statements.nextDue) {
    const at = await first(statement)
    if (at !== null && (row === null || at < row)) row = at
  }
  return { row, delivery: await first(statements.nextDelivery) }
}

function timeOf(rows: SqlRow[]): string | null {
  const at = rows[0]?.at
  return typeof at === 'string' ? at : null
}
