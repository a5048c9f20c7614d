import type { Ids } from '../ports/ids.ts'
import type { Store } from '../ports/store.ts'
import { ok } from '../kernel/result.ts'
import { iso } from '../schema/timestamps.ts'
import type { WorkspaceRow } from './account.ts'

/** Workspaces span both environments; their rows are kept in the sandbox's scope. */
export function workspaceScope(workspace: string) {
  return { workspace, livemode: false }
}

/** A new workspace, with the API and refunds switched on unless said otherwise. */
export async function createWorkspace(
  { store, ids, now_ms }: { store: Store; ids: Ids; now_ms: number },
  input: { name: string; api_enabled?: boolean; refunds_enabled?: boolean },
): Promise<WorkspaceRow> {
  const id = ids.uuid(now_ms)
  const { name, api_enabled = true, refunds_enabled = true } = input
  const created_at = iso(now_ms)
  const row: WorkspaceRow = { ...workspaceScope(id), id, name, api_enabled, refunds_enabled, created_at }
  await store.transaction<void, never>(workspaceScope(id), async (tx) => ok(await tx.workspaces.insert(row)))
  return row
}
