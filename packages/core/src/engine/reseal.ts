import { everyRow } from '../kernel/page.ts'
import type { ReadTable, Scope, WriteTable } from '../ports/store.ts'
import type { Tables } from '../ports/tables.ts'
import { everyScope } from './every-scope.ts'
import type { Services } from './services.ts'
import { write } from './unit-of-work/unit-of-work.ts'

/** The columns sealed for as long as their row exists. Answers stored under keys are deleted with their keys. */
const sealed_columns = {
  webhook_endpoints: 'encrypted_secret',
  connections: 'encrypted_token',
  integrations: 'encrypted_configuration',
} as const satisfies { [Name in keyof Tables]?: keyof Tables[Name] }

type SealedTable = keyof typeof sealed_columns

/** A row of any of these tables, and what it holds sealed. */
type SealedRow = { id: string } & Record<(typeof sealed_columns)[SealedTable], string>

export interface Resealed {
  /** Rows that a former secret had sealed. */
  resealed: number
  /** Rows that none of the secrets opens, left as they are: `verify` names them. */
  unopened: number
}

/** Each row in a unit of its own, so that nothing waits for long. A repeat finds nothing to do. */
export async function reseal(services: Services): Promise<Resealed> {
  const counts: Resealed = { resealed: 0, unopened: 0 }
  for await (const scope of everyScope(services.store)) {
    for (const table of Object.keys(sealed_columns) as SealedTable[]) {
      for (const id of await formerlySealed(services, scope, table)) {
        const done = await resealRow(services, scope, { table, id })
        if (done !== null) counts[done] += 1
      }
    }
  }
  return counts
}

function formerlySealed({ store, secrets }: Services, scope: Scope, table: SealedTable): Promise<string[]> {
  return store.read(scope, async (rows) => {
    const ids: string[] = []
    for await (const row of everyRow(rows[table] as unknown as ReadTable<SealedRow>, {}))
      if (!secrets.isCurrent(row[sealed_columns[table]])) ids.push(row.id)
    return ids
  })
}

/** Null if the row was resealed or deleted meanwhile. */
function resealRow(
  services: Services,
  scope: Scope,
  { table, id }: { table: SealedTable; id: string },
): Promise<keyof Resealed | null> {
  const column = sealed_columns[table]
  return write(services, scope, async ({ tx, secrets }) => {
    const rows = tx[table] as unknown as WriteTable<SealedRow>
    const row = await rows.lock(id)
    if (!row || secrets.isCurrent(row[column])) return null
    const text = secrets.opened(row[column])
    if (text === null) return 'unopened'
    await rows.update({ ...row, [column]: secrets.encrypt(text) })
    return 'resealed'
  })
}
