import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/** A service an organization uses beside its ledger. The engine keeps it for the host and interprets nothing of it. */
export const integrationRow = z.object({
  ...scopedRow,
  id: z.uuid(),
  service_type_id: z.string(),
  ledger_site_id: z.string(),
  /** The configuration's JSON, encrypted: it is the integration's own, and may hold credentials. */
  encrypted_configuration: z.string(),
  created_at: timestamp,
})
