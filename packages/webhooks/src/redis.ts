import { option, refuseWrongOptions } from '@quittance/core'
import type { Redis } from 'ioredis'
import { type OpenQueue, Subscriptions, storeQueue } from './queue.ts'
import { Announcer } from './redis/redis-announcer.ts'
import { Listener } from './redis/redis-listener.ts'

export interface RedisQueueOptions {
  /** The channel is `<prefix>:deliveries`. Channels are shared by all database numbers. Default `quittance`. */
  prefix?: string | undefined
}

/**
 * The store's queue, plus wake-ups for the dispatchers of every process. A process that files deliveries, and does not
 * send them at once, announces it on a channel of Redis. Listeners claim at once instead of at their next sweep.
 * Claims, leases, due times and outcomes stay in the store, so Redis keeps nothing that could be lost or be wrong, and the
 * limit of ten per workspace holds with and without it. While Redis is unreachable or hangs, what this process files still
 * wakes its own dispatcher, and the sweep finds the rest. A connection that comes back is a wake-up too.
 *
 * `redis` only provides options: the queue opens its own connections with them (one to announce, one more once
 * somebody listens) and closes them with itself. Until then they keep the process alive. A process that files
 * deliveries but does not dispatch opens the queue for its announcements: `const queue = redisQueue(redis)(engine)`.
 */
export function redisQueue(redis: Redis, options: RedisQueueOptions = {}): OpenQueue {
  // A client of node-redis can be duplicated, too.
  if (typeof redis?.duplicate !== 'function' || typeof redis.defineCommand !== 'function')
    throw new TypeError('`redisQueue` takes a client of ioredis: `new Redis(url)`.')
  if (redis.isCluster)
    throw new TypeError(
      '`redisQueue` takes `new Redis(url)` of any node of a Cluster: each hears what all publish.',
    )
  refuseWrongOptions('redisQueue', options, { prefix: option.text })
  const { prefix = 'quittance' } = options
  const channel = `${prefix}:deliveries`
  return (engine) => {
    const store = storeQueue(engine)
    const { clock, logger } = engine
    const self = engine.ids.secret(24)
    const context = { redis, channel, self, clock, logger }
    const announcer = new Announcer(context)
    const ignoreFiled = engine.deliveries.onFiled(() => announcer.announce())
    const subscriptions = new Subscriptions()
    let listener: Listener | undefined
    return {
      ...store,
      onReady(wake) {
        listener ??= new Listener(context)
        return subscriptions.add(store.onReady(wake), listener.listen(wake))
      },
      async close() {
        ignoreFiled()
        subscriptions.end()
        listener?.close()
        await announcer.close()
        await store.close()
      },
    }
  }
}
