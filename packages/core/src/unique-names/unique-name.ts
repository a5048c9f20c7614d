import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'

/**
 * A name that is unique over all workspaces, such as an organization's slug: every other table is unique within a
 * workspace at most. Stored as the SHA-256 of its kind and itself.
 */
export const uniqueNameRow = z.object({ ...scopedRow, id: z.string(), hash: z.string() })
