import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'

/**
 * A name that is unique over all workspaces, such as an organization's slug. Apart from these and the hashes of API keys,
 * everything is unique within a scope at most. Stored as the SHA-256 of its kind and itself.
 */
export const uniqueNameRow = z.object({ ...scopedRow, id: z.string(), hash: z.string() })
