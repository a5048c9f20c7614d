import { z } from 'zod'
import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { given } from '../kernel/given.ts'
import { ok } from '../kernel/result.ts'
import { type WorkspaceRow, workspaceName } from './workspace.ts'

/** A workspace's name and switches; what is left out is kept. */
export const updateWorkspace = action({
  input: z.strictObject({
    name: workspaceName.optional(),
    api_enabled: z.boolean().optional(),
    refunds_enabled: z.boolean().optional(),
  }),
  async run({ tx, scope: { workspace } }, input) {
    const found = await tx.workspaces.lock(workspace)
    if (!found) return fail('resource_missing')
    const next: WorkspaceRow = { ...found, ...given(input) }
    await tx.workspaces.update(next)
    return ok(next)
  },
})
