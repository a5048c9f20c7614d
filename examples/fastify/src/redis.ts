import { redisLimits } from '@quittance/transport-http/redis'
import { redisQueue } from '@quittance/webhooks/redis'
import { Redis } from 'ioredis'

/** What several processes of the shop have in common besides the database; alone it needs no Redis. */
export function openRedis(url: string | undefined) {
  if (url === undefined) return { dispatching: {}, serving: {}, close() {} }
  const redis = new Redis(url)
  // The queue and the limits say what they lack; without a listener ioredis would say it as well.
  redis.on('error', () => {})
  return {
    dispatching: { queue: redisQueue(redis) },
    serving: { limits: redisLimits(redis) },
    close: () => redis.disconnect(),
  }
}
