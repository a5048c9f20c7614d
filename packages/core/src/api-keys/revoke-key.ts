import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'

/** The next request with this key is refused with `invalid_api_key`. Revoking again keeps the first `revoked_at`. */
export const revokeKey = action({
  input: byId,
  async run({ tx, now }, { id }) {
    const key = await tx.api_keys.lock(id)
    if (!key) return fail('resource_missing')
    const revoked_at = key.revoked_at ?? now
    await tx.api_keys.update({ ...key, revoked_at })
    return ok({ id, revoked_at })
  },
})
