import { z } from 'zod'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/** Whom the workspace bills (specification: Customer). */
export const customer = z.object({
  object: z.literal('customer'),
  id: z.uuid(),
  reference: z.string(),
  name: z.string(),
  email: z.string(),
  phone: z.string(),
  created_at: timestamp,
})
export type Customer = z.output<typeof customer>

export const customerRow = customer.omit({ object: true }).extend(scopedRow)
export type CustomerRow = z.output<typeof customerRow>
