import { Redis } from 'ioredis'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { freePort } from '../../../tests/free-port.ts'
import type { OpenQueue } from '../src/index.ts'
import { redisQueue } from '../src/redis.ts'
import { announcer, announcing, type Process, redisClient, twoProcesses } from './redis-processes.ts'
import { describeOnRedis, has_redis_server, type RedisServer, redisServer } from './redis-server.ts'
import { dispatching, pay, payTimes, register } from './service.ts'
import { eventOf, type WebReceiver, webReceiver } from './web-receiver.ts'

/** Longer than any test: what is delivered was not found by a sweep. */
const no_sweep = { pollMs: 3_600_000 }
const sweeping = { pollMs: 20 }

const patience = { timeout: 20_000 }

describeOnRedis('every delivery happens', has_redis_server, () => {
  let shared: RedisServer | undefined
  const server = async () => {
    shared ??= await redisServer()
    return shared
  }
  afterAll(() => shared?.close())

  it('after FLUSHALL in the middle, and at once', async () => {
    const { url } = await server()
    const { filing, receiver } = await filingAndSending(url, no_sweep)
    await payAndExpect(filing, receiver, 2)
    await redisClient(url).flushall()
    await payAndExpect(filing, receiver, 5)
  })

  it('when Redis dies in the middle and stays dead, by the sweep', async () => {
    const redis = await server()
    const { filing, receiver } = await filingAndSending(redis.url, sweeping)
    await payAndExpect(filing, receiver, 2)
    await redis.kill()
    await payAndExpect(filing, receiver, 5)
    await redis.start()
    expect(new Set(receiver.received.map(eventOf)).size).toBe(5)
  })

  it('when Redis dies and comes back, also what was filed in between, without a sweep', async () => {
    const redis = await server()
    const { filing, sending, receiver } = await filingAndSending(redis.url, no_sweep)
    await payAndExpect(filing, receiver, 1)
    await redis.kill()
    await expect.poll(() => sending.logged, patience).toContain(`${listening} fails`)
    await payTimes(filing, 3)
    await redis.start()
    await expect.poll(() => receiver.received.length, patience).toBe(4)
    await payAndExpect(filing, receiver, 6)
    expect(sending.logged).toContain(`${listening} works again`)
    expect(sending.logged.filter((message) => message === `${listening} fails`)).toHaveLength(1)
  })

  it('when Redis dies with the process that filed, as soon as Redis is back', async () => {
    const redis = await server()
    const receiver = await webReceiver()
    const [filing, sending] = await twoProcesses(redis.url, 'outages')
    await register(filing, receiver.url)
    await pay(filing)
    dispatching(sending, { queue: sending.queue, ...no_sweep })
    await expect.poll(() => receiver.received.length, patience).toBe(1)
    await redis.kill()
    await expect.poll(() => sending.logged, patience).toContain(`${listening} fails`)
    // Filed, and never announced.
    await pay(filing)
    await redis.start()
    await expect.poll(() => receiver.received.length, patience).toBe(2)
  })

  it('when Redis does not answer, and the dispatcher stops all the same', async () => {
    const redis = await server()
    const { filing, receiver, dispatcher } = await filingAndSending(redis.url, sweeping)
    await payAndExpect(filing, receiver, 1)
    redis.freeze()
    try {
      await payAndExpect(filing, receiver, 4)
      await expect.poll(() => filing.logged, patience).toContain(`${announcements} fails`)
      await dispatcher.stop()
    } finally {
      redis.thaw()
    }
    await expect.poll(() => filing.logged, patience).toContain(`${announcements} works again`)
  })

  it('and an announcement that nobody answered is made again', async () => {
    const redis = await server()
    const { file, timers, heard, logged } = await announcer(redis.url)
    redis.freeze()
    file()
    await expect.poll(() => logged, patience).toContain(`${announcements} fails`)
    redis.thaw()
    await expect.poll(() => timers.length, patience).toBe(1)
    timers[0]?.()
    // The first of them was on the way, and has come late.
    await expect.poll(() => heard.length, patience).toBe(2)
  })

  it('when Redis did not answer as it started, and wake-ups come as soon as it does', async () => {
    const redis = await server()
    redis.freeze()
    try {
      const { filing, receiver } = await filingAndSending(redis.url, no_sweep)
      await payTimes(filing, 2)
      redis.thaw()
      await expect.poll(() => receiver.received.length, patience).toBe(2)
      await payAndExpect(filing, receiver, 4)
    } finally {
      redis.thaw()
    }
  })

  it('when Redis is dead from the start, and wake-ups come once it is there', async () => {
    const redis = await redisServer()
    onTestFinished(() => redis.close())
    await redis.kill()
    const { filing, receiver } = await filingAndSending(redis.url, no_sweep)
    await payTimes(filing, 2)
    await redis.start()
    await expect.poll(() => receiver.received.length, patience).toBe(2)
    await payAndExpect(filing, receiver, 4)
  })

  it('when Redis lets nobody listen at first, and wake-ups come once it does', async () => {
    const { url } = await server()
    const channels = (rule: string) => redisClient(url).call('ACL', 'SETUSER', 'default', rule)
    await channels('resetchannels')
    try {
      const { filing, sending, receiver } = await filingAndSending(url, no_sweep)
      await expect.poll(() => sending.logged, patience).toContain(`${listening} fails`)
      await channels('allchannels')
      await payAndExpect(filing, receiver, 2)
    } finally {
      await channels('allchannels')
    }
  })

  it('and nothing of the queue is left in Redis when it is closed, no connection either', async () => {
    const { url } = await server()
    const redis = redisClient(url)
    const connections = async () =>
      String(await redis.client('LIST'))
        .trim()
        .split('\n').length
    const before = await connections()
    const [made] = await twoProcesses(url, 'closed')
    const queue = made.queue(made.engine)
    const woken = Promise.withResolvers<void>()
    queue.onReady(woken.resolve)
    await woken.promise
    expect(await connections()).toBeGreaterThan(before)
    await queue.close()
    await expect.poll(connections).toBe(before)
    expect(await redis.dbsize()).toBe(0)
  })
})

it('every delivery happens without any Redis, and the limit of ten holds', async () => {
  const receiver = await webReceiver()
  const [one, other] = await twoProcesses(`redis://127.0.0.1:${await freePort()}`, 'dead')
  await register(one, receiver.url)
  await payTimes(one, 30)
  for (const process of [one, other])
    dispatching(process, { queue: process.queue, concurrency: 8, ...sweeping })
  await expect.poll(() => receiver.received.length, patience).toBe(30)
  expect(new Set(receiver.received.map(eventOf)).size).toBe(30)
  expect(receiver.most).toBeLessThanOrEqual(10)
})

it('takes a client that would wait for ever only as a pattern', async () => {
  const forever = { lazyConnect: true, maxRetriesPerRequest: null, enableOfflineQueue: true }
  const redis = new Redis(await freePort(), forever)
  const queue: OpenQueue = redisQueue(redis)
  const receiver = await webReceiver()
  const [made] = await twoProcesses('redis://127.0.0.1:1', 'unused')
  await register(made, receiver.url)
  const dispatcher = dispatching(made, { queue, ...no_sweep })
  await payTimes(made, 3)
  await expect.poll(() => receiver.received.length, patience).toBe(3)
  await dispatcher.stop()
  expect(redis.status).toBe('wait')
})

const listening = 'listening for deliveries through Redis'
const announcements = 'announcing deliveries through Redis'

/** One process that files and announces, and another that dispatches. */
async function filingAndSending(url: string, poll: { pollMs: number }) {
  const receiver = await webReceiver()
  const [filing, sending] = await twoProcesses(url, 'outages')
  await register(filing, receiver.url)
  announcing(filing)
  const dispatcher = dispatching(sending, { queue: sending.queue, ...poll })
  return { filing, sending, receiver, dispatcher }
}

/** Pays until the receiver has had `total` events. */
async function payAndExpect(filing: Process, receiver: WebReceiver, total: number): Promise<void> {
  while (receiver.received.length < total) {
    const sent = receiver.received.length
    await pay(filing)
    await expect.poll(() => receiver.received.length, patience).toBe(sent + 1)
  }
}
