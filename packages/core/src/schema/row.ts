import { z } from 'zod'
import { timestamp } from './timestamps.ts'

/**
 * What every stored row has: whose it is. Only the store's look-ups over all scopes do without it: for an API key, the
 * workspaces, what is due, and deliveries to claim.
 */
export const scopedRow = { workspace: z.string(), livemode: z.boolean() }

/** Rows that a state machine changes: when it last did, and when the reconciler must look at them next. */
export const statefulRow = { ...scopedRow, changed_at: timestamp, due_at: timestamp.nullable() }
