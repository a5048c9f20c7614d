import type { JoinedStore } from '../ports/store.ts'
import { type WorkspaceRow, workspaceScope } from './workspace.ts'

/** The workspace with this id, whichever environment is asked for; undefined if there is none. */
export function findWorkspace(
  store: Pick<JoinedStore, 'read'>,
  id: string,
): Promise<WorkspaceRow | undefined> {
  return store.read(workspaceScope(id), (rows) => rows.workspaces.get(id))
}

/** For a workspace that the host names: throws if there is none. */
export async function workspaceNamed(store: Pick<JoinedStore, 'read'>, id: string): Promise<WorkspaceRow> {
  const found = await findWorkspace(store, id)
  if (found === undefined) throw new Error(`There is no workspace ${id}.`)
  return found
}
