import { z } from 'zod'
import { timestamp } from './timestamps.ts'

/** What every stored row has: whose it is. No query is ever without the first two. */
export const scopedRow = { workspace: z.string(), livemode: z.boolean() }

/** Rows that change by a state machine: when they last did, and when time will ask for them next. */
export const statefulRow = { ...scopedRow, changed_at: timestamp, due_at: timestamp.nullable() }
