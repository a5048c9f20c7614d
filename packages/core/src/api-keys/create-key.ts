import { ok } from '../kernel/result.ts'
import type { Unit } from '../kernel/operation.ts'
import { type ApiKeyRow, type ApiKeyType, type KeyScope, keyScopes } from './api-key.ts'
import { hashKey } from './hash-key.ts'

/** 32 random bytes make 43 base62 characters. */
const key_length = 43

/** A new key: `key` is shown this once; kept are its digest and a few characters of each end. */
export async function createKey(unit: Unit, input: { type: ApiKeyType; name?: string; scopes?: readonly KeyScope[] }) {
  const { scope, ids, now } = unit
  const { type, name = '', scopes = type === 'secret' ? keyScopes : ['payment_methods:tokenize'] } = input
  const mode = scope.livemode ? 'live' : 'test'
  const key = `${type === 'secret' ? 'sk' : 'pk'}_${mode}_${ids.secret(key_length)}`
  const row: ApiKeyRow = {
    ...scope,
    id: ids.uuid(Date.parse(now)),
    type,
    name,
    scopes: [...scopes],
    hash: hashKey(key),
    start: key.slice(0, 12),
    end: key.slice(-4),
    created_at: now,
    revoked_at: null,
  }
  await unit.tx.api_keys.insert(row)
  return ok({ id: row.id, key })
}
