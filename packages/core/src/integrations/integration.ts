import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/** A service an organization uses beside its ledger. Stored for the host; the engine does not interpret it. */
export const integrationRow = z.object({
  ...scopedRow,
  id: z.uuid(),
  service_type_id: z.string(),
  ledger_site_id: z.string(),
  /** The configuration's JSON, encrypted, because it may hold credentials. */
  encrypted_configuration: z.string(),
  created_at: timestamp,
})
