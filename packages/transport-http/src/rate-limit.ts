import type { Engine, RateLimit } from '@quittance/core'
import {
  BurstyRateLimiter,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRes,
} from 'rate-limiter-flexible'

/** Takes one request from a bucket; null when there was one left, else the whole seconds to wait, at least 1. */
export type TakeOne = (bucket: string) => Promise<number | null>

export interface RateLimits {
  sandbox: TakeOne
  live: TakeOne
  confirm: TakeOne
}

/** Where requests are counted: opened once for each handler. What it opens never rejects, whatever is away. */
export type OpenLimits = (engine: Pick<Engine, 'clock' | 'logger'>, rateLimit: RateLimit) => RateLimits

export interface LimitsOption {
  /**
   * Where requests are counted. By default in this process; `redisLimits` of `@quittance/transport-http/redis`
   * counts for all processes together. How many are let through is the engine's `rateLimit`.
   */
  limits?: OpenLimits
}

/** So many requests in so many seconds, counted from the first of them. */
export interface Window {
  name: string
  points: number
  /** In seconds; the limiters' own name. */
  duration: number
}

const unlimited: TakeOne = async () => null

/** How long after a burst the full burst can be had again. */
const burst_window_s = 10

/** The engine's limits, counted where the host says. */
export function createRateLimits(
  engine: Pick<Engine, 'rateLimit' | 'clock' | 'logger'>,
  { limits = memoryLimits }: LimitsOption = {},
): RateLimits {
  const { rateLimit } = engine
  if (rateLimit === false) return { sandbox: unlimited, live: unlimited, confirm: unlimited }
  return limits(engine, rateLimit)
}

/** Counted in this process. */
export const memoryLimits: OpenLimits = (_engine, rateLimit) =>
  countedLimits(rateLimit, ({ name, ...window }) => new RateLimiterMemory({ keyPrefix: name, ...window }))

/** The three limits, each on counters of its own. What a counter cannot count rejects. */
export function countedLimits(
  rateLimit: RateLimit,
  count: (window: Window) => RateLimiterAbstract,
): RateLimits {
  /** So many a second, and as many again at once after a pause. */
  const perSecond = (name: string, points: number) =>
    taking(
      new BurstyRateLimiter(
        count({ name, points, duration: 1 }),
        count({ name: `${name}_burst`, points, duration: burst_window_s }),
      ),
    )
  return {
    sandbox: perSecond('sandbox', rateLimit.sandboxPerSecond),
    live: perSecond('live', rateLimit.livePerSecond),
    confirm: taking(count({ name: 'confirm', points: rateLimit.confirmsPerMinute, duration: 60 })),
  }
}

function taking(limiter: { consume(bucket: string): Promise<RateLimiterRes | null> }): TakeOne {
  return async (bucket) => {
    try {
      await limiter.consume(bucket)
      return null
    } catch (exceeded) {
      if (!(exceeded instanceof RateLimiterRes)) throw exceeded
      return Math.max(1, Math.ceil(exceeded.msBeforeNext / 1000))
    }
  }
}
