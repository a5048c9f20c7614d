import type { Engine, RateLimit } from '@quittance/core'
import {
  BurstyRateLimiter,
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRes,
} from 'rate-limiter-flexible'

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
  limits?: OpenLimits
}

/** A number of requests (`points`) in a number of seconds, counted from the first request. */
export interface Window {
  name: string
  points: number
  /** In seconds. The name is that of the limiter library. */
  duration: number
}

const unlimited: TakeOne = async () => null

/** How long after a burst the full burst is available again. */
const burst_window_s = 10

/** The engine's limits, counted where the host chose. */
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

/** The three limits, each on counters of its own. Rejects if a counter fails. */
export function countedLimits(
  rateLimit: RateLimit,
  count: (window: Window) => RateLimiterAbstract,
): RateLimits {
  /** `points` a second, and a burst of as many again once per burst window. */
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
