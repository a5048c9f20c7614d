import { z } from 'zod'
import { fail } from '../errors/domain-error.ts'
import { eventType } from '../events/event.ts'
import type { Context } from '../kernel/operation.ts'
import { descriptionText } from '../schema/text.ts'
import { faultInUrl } from './destination.ts'

/** The fields a merchant sets (specification: Webhook endpoints). Where `url` may point is judged by `destination.ts`. */
export const endpointFields = {
  url: z.string().min(1).max(2048),
  enabled_events: z
    .array(z.enum([...eventType.options, '*']))
    .min(1)
    .refine((types) => !types.includes('*') || types.length === 1, '`*` stands alone.')
    // A body has room for 16,000 equal ones, and every event that is filed reads all endpoints.
    .overwrite((types) => [...new Set(types)]),
  description: descriptionText,
}

/** The refusal of a `url` that events must not be posted to; null for any other. */
export function refusedDestination(url: string, { allow_insecure_destinations: allow_insecure }: Context) {
  const refused = faultInUrl(url, { allow_insecure })
  return refused === null ? null : fail('parameter_invalid', { param: 'url', message: `The url ${refused}.` })
}
