import { z } from 'zod'
import type { Notification } from '../ports/processor.ts'
import { sum } from '../schema/money.ts'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/**
 * What a processor has told of one charge or refund that could not be applied yet, and all that it has told since, in its
 * order. Kept in the engine's own scope, because the cursor has moved on.
 */
export const heldNotificationRow = z.object({
  ...scopedRow,
  /** The processor's key of the charge or refund. */
  id: z.string(),
  notifications: z.array(z.custom<Notification>()),
  /** How often they were tried again. */
  tries: sum,
  /** When they are tried again. */
  due_at: timestamp.nullable(),
})
export type HeldNotificationRow = z.output<typeof heldNotificationRow>
