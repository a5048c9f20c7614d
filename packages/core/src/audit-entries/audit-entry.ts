import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/**
 * Who did what to what in the dashboard, and when. Written in the unit of work that did it or, for what the processor
 * is asked to do, in the one that commits before the call.
 */
export const auditEntryRow = z.object({
  ...scopedRow,
  id: z.uuid(),
  /** The user the host named. */
  actor: z.string(),
  /** `invoices.send`, `keys.revoke`, … */
  action: z.string(),
  target: z.string(),
  created_at: timestamp,
})
export type AuditEntryRow = z.output<typeof auditEntryRow>
