import type { Scope, Store } from '../ports/store.ts'

/** Both environments of every workspace. */
export async function* everyScope(store: Pick<Store, 'workspaces'>, page_rows = 50): AsyncGenerator<Scope> {
  let after: string | undefined
  do {
    const ids = await store.workspaces({ after, limit: page_rows })
    for (const workspace of ids) {
      yield { workspace, livemode: false }
      yield { workspace, livemode: true }
    }
    after = ids.length === page_rows ? ids.at(-1) : undefined
  } while (after !== undefined)
}
