import type { Reads, Scope, Store } from '../../ports/store.ts'
import { type TableName, tables } from '../../ports/tables.ts'
import type { Around, Broken, Check } from './check.ts'
import { exactly } from './tally.ts'
import { turnOfTheLoop } from './turn.ts'

/** How often a row is read; one that still changes then is left to a later run. */
const readings = 6
const page_rows = 100

interface Suspected extends Pick<Around, 'now' | 'opened'> {
  store: Store
  scope: Scope
  check: Check
}

/**
 * What is broken about one row, judged only if two consecutive readings are identical. Then everything they read was
 * in that state at the moment between them, although no transaction was open and no lock held. Every change leaves
 * a trace in its row (a status, a time, a lease), so no row can change and change back unseen.
 */
export async function brokenAtRest(
  { store, scope, check, now, opened }: Suspected,
  id: string,
): Promise<Broken[]> {
  let before: string | undefined
  for (let reading = 0; reading < readings; reading += 1) {
    await turnOfTheLoop()
    const seen: unknown[] = []
    const judged = await store.read(scope, (all) => {
      const rows = noting(all, seen)
      return check.one({ rows, now, opened, ...exactly(rows, check, page_rows) }, id)
    })
    if (judged === undefined || judged.broken.length === 0) return []
    const now_seen = JSON.stringify(seen)
    if (now_seen === before) return judged.broken
    before = now_seen
  }
  return []
}

/** The same reads, with every answer appended to `seen`. */
function noting(rows: Reads, seen: unknown[]): Reads {
  const noted = async <Answer>(answer: PromiseLike<Answer>): Promise<Answer> => {
    const value = await answer
    seen.push(value ?? null)
    return value
  }
  const reading = <Name extends TableName>(name: Name) => ({
    get: (id: string) => noted(rows[name].get(id)),
    page: (request: Parameters<Reads[Name]['page']>[0]) => noted(rows[name].page(request)),
  })
  const all = Object.keys(tables).map((name) => [name, reading(name as TableName)])
  return Object.fromEntries(all) as Reads
}
