import type { Settings } from './settings.ts'

export type RedisClient = NonNullable<Awaited<ReturnType<typeof openRedis>>>

/** Does not wait for the connection: without it webhooks are sent and limits hold as if there were no Redis. */
export async function openRedis({ redis: url }: Pick<Settings, 'redis'>) {
  if (url === null) return null
  const { Redis } = await import('ioredis').catch(() => {
    throw new Error('QUITTANCE_REDIS needs the package ioredis: npm install ioredis')
  })
  const redis = new Redis(url.href)
  // The queue and the limits log their own outages; without a listener ioredis would log them too.
  redis.on('error', () => {})
  return redis
}
