import { redisLimits } from '@quittance/transport-http/redis'
import { redisQueue } from '@quittance/webhooks/redis'
import { Redis } from 'ioredis'

/** What several processes of the shop share besides the database. A single process needs no Redis. */
export function openRedis(url: string | undefined) {
  if (url === undefined) return { dispatching: {}, serving: {}, close() {} }
  const redis = new Redis(url)
  // The queue and the limits log their own outages; without a listener ioredis would log them too.
  redis.on('error', () => {})
  return {
    dispatching: { queue: redisQueue(redis) },
    serving: { limits: redisLimits(redis) },
    close: () => redis.disconnect(),
  }
}
