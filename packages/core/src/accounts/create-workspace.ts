import { z } from 'zod'
import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { given } from '../kernel/given.ts'
import { ok } from '../kernel/result.ts'
import { type WorkspaceRow, workspaceScope } from './account.ts'

const name = z.string().min(1).max(200)

/** A new workspace, whose id is the scope's. The API and refunds are switched on unless said otherwise. */
export const createWorkspace = action({
  input: z.strictObject({
    name,
    api_enabled: z.boolean().default(true),
    refunds_enabled: z.boolean().default(true),
  }),
  async run({ tx, scope: { workspace }, now }, input) {
    const row: WorkspaceRow = { ...workspaceScope(workspace), id: workspace, ...input, created_at: now }
    await tx.workspaces.insert(row)
    return ok(row)
  },
})

/** A workspace's name and switches; what is left out is kept. */
export const updateWorkspace = action({
  input: z.strictObject({
    name: name.optional(),
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
