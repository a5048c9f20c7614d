import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/** An onboarded organization. It is a workspace, and has its id. Its row is kept in the sandbox's scope. */
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
