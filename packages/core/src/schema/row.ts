import { z } from 'zod'
import { timestamp } from './timestamps.ts'

/** What every stored row has: whose it is. No query is ever without the first two. */
export const scopedRow = { workspace: z.string(), livemode: z.boolean() }

/** Rows that a state machine changes: when it last did, and when the reconciler must look at them next. */
export const statefulRow = { ...scopedRow, changed_at: timestamp, due_at: timestamp.nullable() }
