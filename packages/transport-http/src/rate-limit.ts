import type { Engine } from '@quittance/core'
import { BurstyRateLimiter, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** Takes one request from a bucket; null when there was one left, else the whole seconds to wait, at least 1. */
export type TakeOne = (bucket: string) => Promise<number | null>

export interface RateLimits {
  sandbox: TakeOne
  live: TakeOne
  confirm: TakeOne
}

const unlimited: TakeOne = async () => null

/** How long after a burst the full burst can be had again. */
const burst_window_s = 10

/** The engine's limits, counted in this process. */
export function createRateLimits({ rateLimit }: Pick<Engine, 'rateLimit'>): RateLimits {
  if (rateLimit === false) return { sandbox: unlimited, live: unlimited, confirm: unlimited }
  return {
    sandbox: perSecond('sandbox', rateLimit.sandboxPerSecond),
    live: perSecond('live', rateLimit.livePerSecond),
    confirm: taking(
      new RateLimiterMemory({ keyPrefix: 'confirm', points: rateLimit.confirmsPerMinute, duration: 60 }),
    ),
  }
}

/** So many a second, and as many again at once after a pause. */
function perSecond(name: string, points: number): TakeOne {
  return taking(
    new BurstyRateLimiter(
      new RateLimiterMemory({ keyPrefix: name, points, duration: 1 }),
      new RateLimiterMemory({ keyPrefix: `${name}_burst`, points, duration: burst_window_s }),
    ),
  )
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
