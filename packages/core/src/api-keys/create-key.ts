import { z } from 'zod'
import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import type { Unit } from '../kernel/operation.ts'
import { ok } from '../kernel/result.ts'
import { modeOf } from '../schema/ids.ts'
import {
  type ApiKeyRow,
  apiKeyType,
  type KeyScope,
  keyScope,
  keyScopes,
  scopeGroup,
  scopesOf,
} from './api-key.ts'
import { hashKey } from './hash-key.ts'

const not_both = 'Scopes are given in groups or one by one, not both.'

/** 32 random bytes make 43 base62 characters. */
const key_length = 43

/**
 * A new key. A secret key gets its scopes in groups, as in the dashboard, or one by one; by default it gets all. A publishable
 * key always has the same single scope. `key` is shown in this result only.
 */
export const createKey = action({
  input: z.strictObject({
    type: apiKeyType,
    name: z.string().max(100).default(''),
    groups: z.array(scopeGroup).optional(),
    scopes: z.array(keyScope).optional(),
  }),
  async run(unit, { type, name, groups, scopes }) {
    if (type === 'publishable')
      return ok(await issueKey(unit, { type, name, scopes: ['payment_methods:tokenize'] }))
    if (scopes && groups) return fail('parameter_invalid', { param: 'scopes', message: not_both })
    if (scopes?.includes('payment_methods:tokenize')) return fail('parameter_invalid', { param: 'scopes' })
    const granted = scopes ?? (groups ? scopesOf(groups) : keyScopes)
    return ok(await issueKey(unit, { type, name, scopes: granted }))
  },
})

/** Stores only the key's digest and a few characters from each end. */
export async function issueKey(
  unit: Unit,
  wanted: Pick<ApiKeyRow, 'type' | 'name'> & { scopes: readonly KeyScope[] },
): Promise<{ id: string; key: string }> {
  const { scope, ids, now } = unit
  const key = `${wanted.type === 'secret' ? 'sk' : 'pk'}_${modeOf(scope.livemode)}_${ids.secret(key_length)}`
  const row: ApiKeyRow = {
    ...scope,
    ...wanted,
    scopes: [...wanted.scopes],
    id: ids.uuid(Date.parse(now)),
    hash: hashKey(key),
    start: key.slice(0, 12),
    end: key.slice(-4),
    created_at: now,
    revoked_at: null,
  }
  await unit.tx.api_keys.insert(row)
  return { id: row.id, key }
}
