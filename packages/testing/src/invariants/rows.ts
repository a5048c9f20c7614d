import { type Scope, type Store, type TableName, type Tables, tables } from '@quittance/core'

/** Every committed row of one workspace and environment, oldest first. */
export type Rows = { readonly [Name in TableName]: readonly Tables[Name][] }

const step = 500

/** Reads the rows through the port, so that every store can be checked. */
export async function readRows(store: Store, scope: Scope): Promise<Rows> {
  return await store.read(scope, async (reads) => {
    const rows: Record<string, unknown[]> = {}
    for (const name of Object.keys(tables) as TableName[]) {
      const table = reads[name]
      const found: { id: string }[] = []
      for (;;) {
        const page: { id: string }[] = await table.page({ where: {}, after: found.at(-1)?.id, limit: step })
        found.push(...page)
        if (page.length < step) break
      }
      rows[name] = found.reverse()
    }
    return rows as unknown as Rows
  })
}
