import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { issueKey } from './create-key.ts'

/** A new key with the name, type and scopes of an old one. The old one keeps working until it is revoked. */
export const rotateKey = action({
  input: byId,
  async run(unit, { id }) {
    const old = await unit.tx.api_keys.get(id)
    if (!old) return fail('resource_missing')
    if (old.revoked_at !== null)
      return fail('conflict', { message: 'This key is revoked: create a new one.' })
    const { type, name, scopes } = old
    return ok(await issueKey(unit, { type, name, scopes }))
  },
})
