import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'
import type { Rows } from '../../../testing/src/invariants/rows.ts'
import { commit, writing } from '../../../testing/src/store/opened.ts'
import type { AnyRow } from '../../../testing/src/store/sample-row.ts'
import type { Breach } from './breach.ts'

/** Does to a row by hand what the engine would not. Gives back how to undo it. */
export async function corrupt(
  { store, scope }: Sandbox,
  rows: Rows,
  breach: Breach,
): Promise<() => Promise<void>> {
  const all: readonly AnyRow[] = rows[breach.table]
  const { of } = breach
  const row = all.find((one) =>
    typeof of === 'function'
      ? of(one as never)
      : Object.entries(of).every(([column, value]) => one[column] === value),
  )
  if (row === undefined) throw new Error(`there is no row of ${breach.table} to break`)
  const { change = {}, copy, remove } = breach
  const changed = { ...row, ...copy, ...(typeof change === 'function' ? change(row as never) : change) }
  const page = /^the (\w+) page$/.exec(String(changed.checkout_session))?.[1]
  if (page !== undefined)
    changed.checkout_session = rows.checkout_sessions.find(({ status }) => status === page)?.id
  await commit(store, scope, async (tx) => {
    const table = writing(tx, breach.table)
    if (remove) await table.delete(row.id)
    else if (copy) await table.insert(changed)
    else await table.update(changed)
  })
  return () =>
    commit(store, scope, async (tx) => {
      const table = writing(tx, breach.table)
      if (remove) await table.insert(row)
      else if (copy) await table.delete(changed.id)
      else await table.update(row)
    })
}
