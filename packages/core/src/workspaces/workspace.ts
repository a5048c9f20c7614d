import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/** How the API shows the workspace that a key belongs to, in the key's environment (specification: Account). */
export const account = z.object({
  object: z.literal('account'),
  id: z.uuid(),
  name: z.string(),
  environment: z.enum(['sandbox', 'live']),
  livemode: z.boolean(),
})
export type Account = z.output<typeof account>

export const workspaceName = z.string().min(1).max(200)

/** A workspace and its switches. It spans both environments; its row is kept in the sandbox's scope. */
export const workspaceRow = z.object({
  ...scopedRow,
  id: z.string(),
  name: z.string(),
  api_enabled: z.boolean(),
  refunds_enabled: z.boolean(),
  created_at: timestamp,
})
export type WorkspaceRow = z.output<typeof workspaceRow>

/** Where a workspace's row is kept. */
export function workspaceScope(workspace: string) {
  return { workspace, livemode: false }
}
