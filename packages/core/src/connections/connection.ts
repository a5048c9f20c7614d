import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/** A ledger that a workspace's customers and invoices are synced from. */
export const connectionRow = z.object({
  ...scopedRow,
  /** Contains the workspace and environment, so that the row is found without searching all of them. */
  id: z.string(),
  /** Which of the engine's connectors reads it. */
  kind: z.string(),
  base_url: z.string(),
  site_id: z.string(),
  /** Encrypted under a key derived from the engine's secret; never shown, never logged. */
  encrypted_token: z.string(),
  created_at: timestamp,
})
export type ConnectionRow = z.output<typeof connectionRow>
