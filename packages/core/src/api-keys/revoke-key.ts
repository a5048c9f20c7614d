import { fail } from '../errors/domain-error.ts'
import type { Unit } from '../kernel/operation.ts'
import { ok } from '../kernel/result.ts'

/** From the next request on the key answers `invalid_api_key`. Revoked once, it stays revoked since then. */
export async function revokeKey({ tx, now }: Unit, id: string) {
  const key = await tx.api_keys.lock(id)
  if (!key) return fail('resource_missing')
  const revoked = { ...key, revoked_at: key.revoked_at ?? now }
  await tx.api_keys.update(revoked)
  return ok({ id, revoked_at: revoked.revoked_at })
}
