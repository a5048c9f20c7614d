import { keyScopes } from '../api-keys/api-key.ts'
import { issueKey } from '../api-keys/create-key.ts'
import { back_office, noteInAudit } from '../audit-entries/note-in-audit.ts'
import { fail } from '../errors/domain-error.ts'
import { ok, type Result } from '../kernel/result.ts'
import { workspaceScope } from '../workspaces/workspace.ts'
import { type BackOfficeError, refusal, refuse } from './back-office-error.ts'
import type { BackOfficePorts } from './back-office-ports.ts'

/** A sandbox secret key with every scope. `key` is shown in this response only. */
export interface OrganizationKey {
  id: string
  key: string
  createdAt: string
  updatedAt: string
}

/** `POST /service/organization/{id}/api-keys`. Any workspace is an organization, however it was created. */
export async function createOrganizationKey(
  { unitsOf }: BackOfficePorts,
  organization: string,
): Promise<Result<OrganizationKey, BackOfficeError>> {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(organization))
    return refuse('organization_not_found')
  const made = await unitsOf(workspaceScope(organization)).work(async (unit) => {
    const { tx, now } = unit
    if (!(await tx.workspaces.get(organization))) return fail('resource_missing')
    const { id, key } = await issueKey(unit, { type: 'secret', name: 'Back office', scopes: keyScopes })
    await noteInAudit(unit, { actor: back_office, action: 'keys.create', target: id })
    return ok({ id, key, createdAt: now, updatedAt: now })
  })
  return made.mapErr(() => refusal('organization_not_found'))
}
