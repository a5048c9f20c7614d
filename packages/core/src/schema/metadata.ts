import { z } from 'zod'

/** Up to 20 keys of up to 40 characters, values up to 500: stored and returned, never interpreted. */
export const metadata = z
  .record(z.string().min(1).max(40), z.string().max(500))
  .refine((map) => Object.keys(map).length <= 20, 'Metadata has at most 20 keys.')
  // For the API description, which cannot know what `refine` checks.
  .meta({ maxProperties: 20 })
