import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/** The first user of an onboarded organization, for the host's dashboard. */
export const userRow = z.object({
  ...scopedRow,
  id: z.uuid(),
  name: z.string(),
  /** Unique over all users. */
  email: z.string(),
  /** `scrypt$<N>$<r>$<p>$<salt>$<hash>`, the last two in base64url. */
  password_hash: z.string(),
  created_at: timestamp,
})
