import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { Outage } from '../src/outage.ts'
import { openConnection } from '../src/redis/redis-connection.ts'

it('a Redis that is away is logged in words where its name stands for several addresses', () => {
  const faults: unknown[] = []
  const note = (_message: string, fields?: { fault?: unknown }) => void faults.push(fields?.fault)
  const outage = new Outage({ info: note, warn: note, error: note }, 'announcing')
  const pattern = new Redis({ lazyConnect: true })
  const { redis, close } = openConnection(pattern, { outage, onReady: () => {} })
  const tried = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}`))
  redis.emit('error', new AggregateError(tried))
  redis.emit('close')
  close()
  expect(faults).toEqual(['Error: connect ECONNREFUSED ::1, Error: connect ECONNREFUSED 127.0.0.1'])
})
