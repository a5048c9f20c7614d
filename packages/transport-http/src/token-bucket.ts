import type { Clock } from '@quittance/core'

/** How many tokens a bucket holds when it is full, and how many come how often. Each request takes one. */
export interface BucketSize {
  capacity: number
  refill: number
  every_ms: number
}

/** A bucket that nobody has taken from is full, and is not kept. */
interface Bucket {
  tokens: number
  refilled_at: number
}

/** `wait_ms` is null where a token was taken, else the time until one comes. The bucket is to be kept either way. */
export interface Taken {
  bucket: Bucket
  wait_ms: number | null
}

/**
 * Tokens come whole, and `refilled_at` moves by whole periods, so that the part of a period that has passed is not lost.
 * The script of `redisLimits` computes the same.
 */
export function takeToken({ capacity, refill, every_ms }: BucketSize, bucket: Bucket, now: number): Taken {
  // A clock that was set back must not make anyone wait until it has caught up.
  const since = Math.min(bucket.refilled_at, now)
  const periods = Math.floor((now - since) / every_ms)
  const tokens = Math.min(capacity, bucket.tokens + periods * refill)
  // A full bucket gains nothing by waiting: its next token is a whole period away.
  const refilled_at = tokens === capacity ? now : since + periods * every_ms
  if (tokens < 1) return { bucket: { tokens, refilled_at }, wait_ms: refilled_at + every_ms - now }
  return { bucket: { tokens: tokens - 1, refilled_at }, wait_ms: null }
}

/**
 * Buckets of one size in this process, by name, in two generations. A bucket that was not used since the turn before last
 * is full again, and is dropped with its generation: so a turn costs nothing, however many there are.
 */
export function memoryBuckets(size: BucketSize, clock: Pick<Clock, 'real'>) {
  const fill_ms = Math.ceil(size.capacity / size.refill) * size.every_ms
  let recent = new Map<string, Bucket>()
  let earlier = new Map<string, Bucket>()
  let turned_at = clock.real()

  function turn(now: number): void {
    // Either way: a clock that was set back must not keep everything until it has caught up.
    if (Math.abs(now - turned_at) < fill_ms) return
    earlier = recent
    recent = new Map()
    turned_at = now
  }

  return {
    /** Null if a token was left, else how long to wait for one, in ms. */
    take(name: string): number | null {
      // Real time: moving the sandbox's clock must not refill a bucket.
      const now = clock.real()
      turn(now)
      const bucket = recent.get(name) ?? earlier.get(name) ?? { tokens: size.capacity, refilled_at: now }
      const taken = takeToken(size, bucket, now)
      recent.set(name, taken.bucket)
      return taken.wait_ms
    },
    /** How many buckets are kept. */
    kept: () => recent.size + earlier.size,
  }
}
