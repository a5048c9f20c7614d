import { z } from 'zod'
import { action } from '../kernel/action.ts'
import { ok } from '../kernel/result.ts'
import { type WorkspaceRow, workspaceName, workspaceScope } from './workspace.ts'

/** A new workspace, whose id is the scope's. The API and refunds are switched on unless said otherwise. */
export const createWorkspace = action({
  input: z.strictObject({
    name: workspaceName,
    api_enabled: z.boolean().default(true),
    refunds_enabled: z.boolean().default(true),
  }),
  async run({ tx, scope: { workspace }, now }, input) {
    const row: WorkspaceRow = { ...workspaceScope(workspace), id: workspace, ...input, created_at: now }
    await tx.workspaces.insert(row)
    return ok(row)
  },
})
