import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/** Who was onboarded. An organization is a workspace: its id is the workspace's. Kept in the sandbox's scope. */
export const organizationRow = z.object({
  ...scopedRow,
  id: z.uuid(),
  name: z.string(),
  /** Unique over all organizations, as is the e-mail. */
  slug: z.string(),
  email: z.string(),
  phone_number: z.string(),
  website: z.string(),
  created_at: timestamp,
})
