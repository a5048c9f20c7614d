import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/**
 * What a client's Idempotency-Key was used for. While in flight it holds the lease of the request that runs under it. Once
 * answered it holds the response: its bytes, or the id of the event that already has the object in it.
 */
export const idempotencyKeyRow = z.object({
  ...scopedRow,
  /** The key itself, 1 to 255 characters. */
  id: z.string(),
  operation: z.string(),
  fingerprint: z.string(),
  /** The request that took the key. If another takes it over, that one is named here, and only it can answer. */
  request_id: z.string(),
  /** Null once answered. */
  lease_until: timestamp.nullable(),
  /** The object that the request made or changed. For a call of the processor it is set before the call. */
  intent: z.string().nullable(),
  answer_status: z.int().nullable(),
  /** Sealed as webhook secrets are, because it may show one; plain only where `healKey` stored it. */
  answer_body: z.string().nullable(),
  answer_event: z.string().nullable(),
  created_at: timestamp,
  /** In flight: when the lease ends. Answered: when the key may be forgotten. */
  due_at: timestamp.nullable(),
})
export type IdempotencyKeyRow = z.output<typeof idempotencyKeyRow>
