import { z } from 'zod'
import { idParameter } from './ids.ts'

/** The query every list takes (specification: Lists and pagination). */
export const listQuery = z.strictObject({
  limit: z.int('A whole number in plain digits, from 1 to 100.').min(1).max(100).default(20),
  starting_after: idParameter.optional(),
})

export interface List<Item> {
  object: 'list'
  data: Item[]
  has_more: boolean
}

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ object: z.literal('list'), data: z.array(item), has_more: z.boolean() })
