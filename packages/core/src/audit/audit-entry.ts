import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/** Who did what in the dashboard, to what, and when. Written in the unit of work that did it, or that committed to ask the processor. */
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
