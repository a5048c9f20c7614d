import { keyScopes } from '../../api-keys/api-key.ts'
import type { Caller } from '../../kernel/operation.ts'
import type { JoinedStore, Scope } from '../../ports/store.ts'
import { workspaceNamed } from '../../workspaces/find-workspace.ts'

/** A caller for the host itself, with all that a secret key may do in one workspace and environment. */
export async function callerOf(store: Pick<JoinedStore, 'read'>, scope: Scope): Promise<Caller> {
  const { workspace, livemode } = checkedScope(scope)
  const row = await workspaceNamed(store, workspace)
  return { workspace: row, livemode, key: 'secret', scopes: keyScopes, ip_address: null, user_agent: null }
}

/** The scope the host names. The string 'false', as a query has it, would count as true. */
export function checkedScope(scope: Scope): Scope {
  const { workspace, livemode }: Partial<Scope> = scope ?? {}
  if (typeof workspace !== 'string' || typeof livemode !== 'boolean')
    throw new TypeError(
      'A scope has a `workspace`, which is an id, and a `livemode`, which is true or false.',
    )
  return { workspace, livemode }
}
