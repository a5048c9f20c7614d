import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import { afterAll } from 'vitest'
import { freePort } from '../../../tests/free-port.ts'
import { describeQueue } from '../../testing/src/describe-queue.ts'
import { redisQueue } from '../src/redis.ts'
import { describeOnRedis, findRedis } from './redis-server.ts'

const found = await findRedis()
const there = new Redis(found?.url ?? '', { lazyConnect: true })
const away = new Redis(await freePort(), { lazyConnect: true })
afterAll(async () => {
  there.disconnect()
  away.disconnect()
  await found?.close()
})

describeOnRedis('on a Redis that is there', found !== null, () => {
  describeQueue('the Redis queue', redisQueue(there, { prefix: `test-${randomUUID()}` }), { announces: true })
})

describeQueue('the Redis queue whose Redis is away', redisQueue(away))
