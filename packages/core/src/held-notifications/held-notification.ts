import { z } from 'zod'
import type { Notification } from '../ports/processor.ts'
import { sum } from '../schema/money.ts'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/**
 * What a processor has told of one charge or refund, from the first notification that could not be applied yet on, in its
 * order. Kept, because the cursor has moved on, in the engine's own scope.
 */
export const heldNotificationRow = z.object({
  ...scopedRow,
  /** The processor's key of the charge or refund. */
  id: z.string(),
  notifications: z.array(z.custom<Notification>()),
  /** How often they were retried. */
  tries: sum,
  /** When they are retried next. */
  due_at: timestamp.nullable(),
})
export type HeldNotificationRow = z.output<typeof heldNotificationRow>
