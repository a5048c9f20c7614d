import { expect, it } from 'vitest'
import { describeOnRedis, has_redis_server, redisServer } from '../../packages/webhooks/test/redis-server.ts'
import { manyProcesses } from '../src/eight-processes.ts'

const few = { processes: 3, pairs: 60, payments: 60, workspaces: 2 }

it('three processes on one Postgres neither over-refund nor charge a key twice, and lose no event', async () => {
  const { violations } = await manyProcesses({ ...few, seed: 1 })
  expect(violations).toEqual([])
})

describeOnRedis('with Redis', has_redis_server, () => {
  it('nor do three whose dispatchers wake each other', async () => {
    const redis = await redisServer()
    const { violations } = await manyProcesses({ ...few, pairs: 30, payments: 30, redis: redis.url, seed: 2 })
    await redis.close()
    expect(violations).toEqual([])
  })
})
