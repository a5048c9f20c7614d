import { z } from 'zod'

/**
 * Ids sort by time: `<prefix>_<test|live>_` and 24 base62 characters, of which the first 8 are the millisecond.
 * The alphabet is in byte order, so comparing ids as bytes compares their times.
 */
export const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export const prefixes = {
  payment_method_session: 'pms',
  payment_method: 'pm',
  checkout_session: 'cs',
  payment: 'pay',
  refund: 're',
  webhook_endpoint: 'we',
  event: 'evt',
} as const

export type PrefixedKind = keyof typeof prefixes

/** An id that a request names: 1 to 64 characters (specification: Limits). Whether it exists is checked later. */
export const idParameter = z.string().min(1).max(64)

/** The input that names one object, as a path does. Of any length: a text too long for an id is missing, not malformed. */
export const byId = z.strictObject({ id: z.string() })

export function prefixOf(kind: PrefixedKind, livemode: boolean): string {
  return `${prefixes[kind]}_${modeOf(livemode)}_`
}

/** How ids and keys name their environment. */
export function modeOf(livemode: boolean): 'live' | 'test' {
  return livemode ? 'live' : 'test'
}
