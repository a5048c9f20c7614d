import { existsSync } from 'node:fs'
import { createEngine, type Store, type Violation } from '@quittance/core'
import { openStore } from './open-store.ts'
import { readSettings, type Settings } from './settings.ts'

/** Checks what must hold of the rows of `QUITTANCE_STORE` (docs/verifying.md). True if nothing is broken. */
export async function doctor(env: NodeJS.ProcessEnv): Promise<boolean> {
  const settings = readSettings(env)
  refuseMissing(settings)
  const store = openStore(settings)
  try {
    // It neither signs nor charges, so it needs neither the server's secret nor a processor.
    const secret = 'reads rows and opens nothing in them'
    const engine = createEngine({ store, secret, processors: {}, publicUrl: 'http://localhost' })
    const pending = await engine.migrations.pending()
    if (pending.length > 0) throw new Error(`The database lacks ${pending.join(', ')}: migrate it first.`)
    const { checked, violations, complete } = await engine.verify({ sealed: false })
    for (const violation of violations) console.log(line(violation))
    const rows = Object.values(checked).reduce((sum, count) => sum + count, 0)
    if (rows === 0 && violations.length === 0) return await nothingChecked(store)
    console.log(
      `${rows} rows checked, ${violations.length} ${violations.length === 1 ? 'violation' : 'violations'}${complete ? '' : ', and it stopped there'}`,
    )
    return violations.length === 0
  } finally {
    await store.close()
  }
}

/** A workspace without rows is new. Without any workspace nothing can be said: there may be rows all the same. */
async function nothingChecked(store: Store): Promise<boolean> {
  const [workspace] = await store.workspaces({ limit: 1 })
  if (workspace === undefined) throw new Error('Nothing was found to check: the database has no workspace.')
  console.log('Nothing was found to check.')
  return true
}

/** SQLite would create the file of a missing database. */
function refuseMissing({ store }: Settings): void {
  if ('filename' in store && !existsSync(store.filename))
    throw new Error(`There is no database ${store.filename}.`)
}

function line({ invariant, table, id, says, workspace, livemode }: Violation): string {
  return `${invariant} ${table} ${id} ${says} (workspace ${workspace}, ${livemode ? 'live' : 'sandbox'})`
}
