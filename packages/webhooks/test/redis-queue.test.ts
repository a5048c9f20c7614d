import { randomUUID } from 'node:crypto'
import { Cluster, Redis } from 'ioredis'
import { afterAll, expect, it } from 'vitest'
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

it('the Redis queue refuses a client of node-redis', () => {
  const of_node_redis = { duplicate: () => of_node_redis, publish: async () => 0 }
  expect(() => redisQueue(of_node_redis as never)).toThrow('`redisQueue` takes a client of ioredis')
})

it('the Redis queue refuses a Cluster, whose options for a command it could not set: closing waited for ever', () => {
  const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true })
  expect(() => redisQueue(cluster as never)).toThrow('of any node of a Cluster')
})
