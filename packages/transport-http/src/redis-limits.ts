import { answeredInTime, type Clock, type Logger, option, refuseWrongOptions } from '@quittance/core'
import { countedLimits, type OpenLimits, type TakeToken } from './rate-limit.ts'
import { type BucketSize, memoryBuckets } from './token-bucket.ts'

/** The part of an ioredis client that is needed here, so that the host's own version of its types fits. */
export interface RedisClient {
  /** The status of ioredis: `ready` if commands are sent at once, `reconnecting` and others if they wait. */
  readonly status: string
  defineCommand(name: string, definition: { lua: string; numberOfKeys?: number }): void
}

export interface RedisLimitsOptions {
  /** Keys begin with `<prefix>:limit:`; each is gone once its bucket is full: a minute at most. Default `quittance`. */
  prefix?: string | undefined
}

/** A Redis that takes longer counts as unreachable. It responds within 1 ms; the rest allows for a busy host process. */
const answer_limit = { limit_ms: 1_000, late: 'no answer within 1000 ms' }

/** How long Redis is not asked after a fault: otherwise every request would wait for a Redis that hangs. */
const away_ms = 5_000

/**
 * Counts the requests of all processes together, in the host's Redis: `createHandler(engine, { limits: redisLimits(redis)
 * })`. While Redis is unreachable or hangs, each process counts for itself: no request is refused because of that, and none
 * is unlimited, but a key may use its full limit on every process. The client stays the host's: it is never closed here.
 */
export function redisLimits(redis: RedisClient, options: RedisLimitsOptions = {}): OpenLimits {
  if (typeof redis?.defineCommand !== 'function')
    throw new TypeError('`redisLimits` takes a client of ioredis: `new Redis(url)`.')
  refuseWrongOptions('redisLimits', options, { prefix: option.text })
  const { prefix = 'quittance' } = options
  return (engine, rateLimit) => {
    const take = takeIn(redis)
    const withFailover = failover(engine, redis)
    return countedLimits(rateLimit, (name, size) => {
      const shared = (bucket: string) => take(`${prefix}:limit:${name}:${bucket}`, size)
      return withFailover(shared, memoryBuckets(size, engine.clock).take)
    })
  }
}

/**
 * `takeToken` in Redis, atomic for all processes and by Redis' own clock, since theirs may differ. The key expires when the
 * bucket is full.
 */
const take_token = `
local capacity, refill, every_ms = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'refilled_at')
local since = math.min(tonumber(bucket[2] or now), now)
local periods = math.floor((now - since) / every_ms)
local tokens = math.min(capacity, tonumber(bucket[1] or capacity) + periods * refill)
local refilled_at = tokens == capacity and now or since + periods * every_ms
local wait_ms = nil
if tokens < 1 then wait_ms = math.ceil(refilled_at + every_ms - now) else tokens = tokens - 1 end
redis.call('HSET', KEYS[1], 'tokens', tokens, 'refilled_at', refilled_at)
redis.call('PEXPIRE', KEYS[1], math.ceil(refilled_at + math.ceil((capacity - tokens) / refill) * every_ms - now))
return wait_ms
`

/** The script as ioredis offers it once it is defined. */
interface Scripted {
  quittanceTakeToken(key: string, capacity: number, refill: number, every_ms: number): Promise<number | null>
}

function takeIn(redis: RedisClient) {
  redis.defineCommand('quittanceTakeToken', { lua: take_token, numberOfKeys: 1 })
  const scripted = redis as RedisClient & Scripted
  return (key: string, { capacity, refill, every_ms }: BucketSize) =>
    scripted.quittanceTakeToken(key, capacity, refill, every_ms)
}

/**
 * Asks `shared`, or `local` while Redis is unreachable, and for a while after a fault: there -> away -> (one asks) there, or away
 * again. If all asked, a Redis that hangs would keep all of them waiting, and its client would keep what each has asked.
 */
function failover({ clock, logger }: { clock: Clock; logger: Logger }, redis: RedisClient) {
  let isAway = false
  let isResting = false
  let isTrying = false

  function away(reason: string): void {
    if (!isAway) logger.warn('rate limits are counted in this process alone', { reason })
    isAway = true
  }

  function rest(fault: unknown): void {
    away(String(fault))
    if (isResting) return
    isResting = true
    clock.after(away_ms, () => {
      isResting = false
    })
  }

  return (shared: (bucket: string) => Promise<number | null>, local: TakeToken): TakeToken =>
    async (bucket) => {
      if (/^(close|reconnecting|end)$/.test(redis.status)) away('there is no connection to Redis')
      // Waits for the first connection, but not for one that was lost.
      if (isResting || isTrying || (isAway && redis.status !== 'ready')) return local(bucket)
      isTrying = isAway
      try {
        const wait_ms = await answeredInTime(clock, answer_limit, () => shared(bucket))
        if (isAway) logger.info('rate limits are shared again')
        isAway = false
        return wait_ms
      } catch (fault) {
        rest(fault)
        return local(bucket)
      } finally {
        isTrying = false
      }
    }
}
