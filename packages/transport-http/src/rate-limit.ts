import type { Engine, RateLimit } from '@quittance/core'
import { type BucketSize, memoryBuckets } from './token-bucket.ts'

/** Takes one request from a bucket. Null if one was left, else the whole seconds to wait, at least 1. */
export type TakeOne = (bucket: string) => Promise<number | null>

export interface RateLimits {
  sandbox: TakeOne
  live: TakeOne
  confirm: TakeOne
}

/** Opens the counters of requests, once per handler. The limits it returns never reject, whatever is down. */
export type OpenLimits = (engine: Pick<Engine, 'clock' | 'logger'>, rateLimit: RateLimit) => RateLimits

export interface LimitsOption {
  /**
   * Where requests are counted: by default in this process, with `redisLimits` of `@quittance/transport-http/redis`
   * for all processes together. The engine's `rateLimit` says how many are let through.
   */
  limits?: OpenLimits | undefined
}

/** Takes one token from a bucket. Null if one was left, else the milliseconds until one comes. */
export type TakeToken = (bucket: string) => number | null | Promise<number | null>

const unlimited: TakeOne = async () => null

/** The engine's limits, counted where the host chose. */
export function createRateLimits(
  engine: Pick<Engine, 'rateLimit' | 'clock' | 'logger'>,
  { limits = memoryLimits }: LimitsOption = {},
): RateLimits {
  const { rateLimit } = engine
  if (rateLimit === false) return { sandbox: unlimited, live: unlimited, confirm: unlimited }
  const opened = limits(engine, rateLimit)
  for (const name of ['sandbox', 'live', 'confirm'] as const)
    if (typeof opened?.[name] !== 'function')
      throw new TypeError(`\`limits\` returns limits with \`${name}\`, which is a function.`)
  return limits === memoryLimits ? opened : checked(opened)
}

/** Without a number of seconds a request would be refused for good, and nobody would learn why. */
function checked(opened: RateLimits): RateLimits {
  const check =
    (name: keyof RateLimits): TakeOne =>
    async (bucket) => {
      const wait_s = await opened[name](bucket)
      if (wait_s === null || (Number.isInteger(wait_s) && wait_s >= 1)) return wait_s
      throw new TypeError(`\`${name}\` of \`limits\` gives null, or a whole number of seconds, at least 1.`)
    }
  return { sandbox: check('sandbox'), live: check('live'), confirm: check('confirm') }
}

const in_memory = new WeakMap<object, RateLimits>()

/** Counted in this process, for all handlers of an engine together: a second mount must not allow more cards to be tried. */
const memoryLimits: OpenLimits = (engine, rateLimit) => {
  const opened =
    in_memory.get(engine) ?? countedLimits(rateLimit, (_name, size) => memoryBuckets(size, engine.clock).take)
  in_memory.set(engine, opened)
  return opened
}

/** The three limits, each on buckets of its own. Rejects if a request cannot be counted. */
export function countedLimits(
  { sandboxPerSecond, livePerSecond, confirmsPerMinute }: RateLimit,
  open: (name: string, size: BucketSize) => TakeToken,
): RateLimits {
  return {
    sandbox: inSeconds(open('sandbox', perSecond(sandboxPerSecond))),
    live: inSeconds(open('live', perSecond(livePerSecond))),
    confirm: inSeconds(open('confirm', perMinute(confirmsPerMinute))),
  }
}

/** A steady rate, and after a pause twice as many at once. */
function perSecond(requests: number): BucketSize {
  // Under a limit of 0 no wait helps, but the response has to name one all the same.
  if (requests <= 0) return { capacity: 0, refill: 1, every_ms: 1_000 }
  // A bucket that can never hold a whole token would let nothing through.
  return { capacity: Math.max(1, 2 * requests), refill: 1, every_ms: 1_000 / requests }
}

/** Refilled at once, a minute after the first was taken: one by one, an eleventh token of ten would come after 6 s. */
function perMinute(attempts: number): BucketSize {
  // Even a bucket that holds nothing refills by 1, so that its time to fill is 0, not 0 / 0.
  return { capacity: attempts, refill: Math.max(1, attempts), every_ms: 60_000 }
}

function inSeconds(take: TakeToken): TakeOne {
  return async (bucket) => {
    const wait_ms = await take(bucket)
    return wait_ms === null ? null : Math.max(1, Math.ceil(wait_ms / 1000))
  }
}
