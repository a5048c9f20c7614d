import { keyScopes } from '../../api-keys/api-key.ts'
import { hashKey } from '../../api-keys/hash-key.ts'
import { fail } from '../../errors/domain-error.ts'
import type { Caller } from '../../kernel/operation.ts'
import { ok } from '../../kernel/result.ts'
import type { JoinedStore, Scope } from '../../ports/store.ts'
import { workspaceNamed } from '../../workspaces/find-workspace.ts'
import type { Services } from '../services.ts'

/** Who an `Authorization: Bearer <API_KEY>` header stands for. A revoked key counts as unknown. */
export async function authenticate(
  { store }: Services,
  authorization = '',
  origin: Pick<Caller, 'ip_address' | 'user_agent'>,
) {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  const found = token === undefined ? undefined : await store.findApiKey(hashKey(token))
  // `Bearer` alone is what a client sends whose variable is empty.
  if (!found || found.key.revoked_at !== null)
    return fail(/^(Bearer)?\s*$/i.test(authorization) ? 'api_key_missing' : 'invalid_api_key')
  const { key, workspace } = found
  const caller: Caller = { workspace, livemode: key.livemode, key: key.type, scopes: key.scopes, ...origin }
  return ok({ caller, key_id: key.id })
}

/** A caller for the host itself, with all that a secret key may do in one workspace and environment. */
export async function callerOf(store: Pick<JoinedStore, 'read'>, scope: Scope): Promise<Caller> {
  const { workspace, livemode } = checkedScope(scope)
  const row = await workspaceNamed(store, workspace)
  return { workspace: row, livemode, key: 'secret', scopes: keyScopes, ip_address: null, user_agent: null }
}

/** The scope the host names. The string 'false', as a query has it, would count as true. */
export function checkedScope({ workspace, livemode }: Scope): Scope {
  if (typeof workspace !== 'string' || typeof livemode !== 'boolean')
    throw new TypeError(
      'A scope has a `workspace`, which is an id, and a `livemode`, which is true or false.',
    )
  return { workspace, livemode }
}
