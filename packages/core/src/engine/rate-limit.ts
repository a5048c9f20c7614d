import { given } from '../kernel/given.ts'
import { option, refuseWrongOptions } from '../kernel/refuse-wrong-options.ts'

/**
 * Each API key has a token bucket that refills at this many requests a second and holds twice as many. Confirms of one
 * session are counted in a minute that begins with the first.
 */
export interface RateLimit {
  /** Default 25. */
  sandboxPerSecond: number
  /** Default 100. */
  livePerSecond: number
  /** Default 10. */
  confirmsPerMinute: number
}

/** Limits of which some are left to their defaults. */
export type RateLimitOptions = { [Name in keyof RateLimit]?: RateLimit[Name] | undefined }

const default_limit: RateLimit = { sandboxPerSecond: 25, livePerSecond: 100, confirmsPerMinute: 10 }

/** Throws for a value that would set no limit, or another one than is meant. */
export function rateLimitOf(options: RateLimitOptions | false = {}): RateLimit | false {
  if (options === false) return false
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`\`rateLimit\` is false, for none, or has ${Object.keys(default_limit).join(', ')}.`)
  refuseWrongOptions('`rateLimit`', options, {
    sandboxPerSecond: option.any,
    livePerSecond: option.any,
    confirmsPerMinute: option.any,
  })
  const limits = { ...default_limit, ...given(options) }
  for (const [name, limit] of Object.entries(limits)) {
    if (!(typeof limit === 'number' && limit >= 0))
      throw new TypeError(
        `\`rateLimit.${name}\` is a number, not ${limit}; \`rateLimit: false\` is no limit.`,
      )
  }
  return limits
}
