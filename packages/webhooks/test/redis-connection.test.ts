import { type AddressInfo, createServer } from 'node:net'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
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

it('a channel has no prefix of the host’s keys, which the client of another process may lack', () => {
  const silent = () => {}
  const outage = new Outage({ info: silent, warn: silent, error: silent }, 'announcing')
  const pattern = new Redis({ lazyConnect: true, keyPrefix: 'host:' })
  const { redis, close } = openConnection(pattern, { outage, onReady: silent })
  close()
  expect(redis.options.keyPrefix).toBe('')
})

it('a Sentinel that is away is logged, and asked again although the host would give up', async () => {
  let asked = 0
  const sentinel = createServer((socket) => {
    asked += 1
    socket.destroy()
  })
  await new Promise<void>((listening) => sentinel.listen(0, '127.0.0.1', listening))
  onTestFinished(() => new Promise((closed) => sentinel.close(() => closed())))
  const { port } = sentinel.address() as AddressInfo
  const sentinels = [{ host: '127.0.0.1', port }]
  const pattern = new Redis({ sentinels, name: 'ours', lazyConnect: true, sentinelRetryStrategy: () => null })
  const logged: string[] = []
  const note = (message: string, fields?: object) => void logged.push(`${message} ${JSON.stringify(fields)}`)
  const outage = new Outage({ info: note, warn: note, error: note }, 'announcing')
  const connection = openConnection(pattern, { outage, onReady: () => {} })
  onTestFinished(() => connection.close())
  await expect.poll(() => asked, { timeout: 30_000 }).toBeGreaterThan(3)
  expect(logged).toEqual([
    expect.stringContaining('announcing fails {"fault":"Error: All sentinels are unreachable'),
  ])
})
