import { hashKey } from '../../api-keys/hash-key.ts'
import { fail } from '../../errors/domain-error.ts'
import type { Caller } from '../../kernel/operation.ts'
import { ok } from '../../kernel/result.ts'
import type { Services } from '../services.ts'

/** Who an `Authorization: Bearer <API_KEY>` header stands for. A revoked key counts as unknown. */
export async function authenticate(
  { store }: Services,
  authorization = '',
  origin: Pick<Caller, 'ip_address' | 'user_agent'>,
) {
  const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  const found = token === undefined ? undefined : await store.findApiKey(hashKey(token))
  // A client whose variable is empty sends `Bearer` alone.
  if (!found || found.key.revoked_at !== null)
    return fail(/^(Bearer)?\s*$/i.test(authorization) ? 'api_key_missing' : 'invalid_api_key')
  const { key, workspace } = found
  const caller: Caller = { workspace, livemode: key.livemode, key: key.type, scopes: key.scopes, ...origin }
  return ok({ caller, key_id: key.id })
}
