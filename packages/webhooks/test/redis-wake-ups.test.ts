import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { withOwn } from '../../testing/src/ports/around.ts'
import { redisQueue } from '../src/redis.ts'
import { announcer, announcing, firstWake, redisClient, twoProcesses } from './redis-processes.ts'
import { describeOnRedis, findRedis } from './redis-server.ts'
import { dispatching, pay, payTimes, register, service, subscribed } from './service.ts'
import { eventOf, gate, webReceiver } from './web-receiver.ts'

/** Longer than any test: what is delivered was not found by a sweep. */
const no_sweep = { pollMs: 3_600_000 }

const found = await findRedis()
const url = found?.url ?? ''
afterAll(() => found?.close())
const open = () => twoProcesses(url, `test-${randomUUID()}`)

describeOnRedis('a commit of one process', found !== null, () => {
  it('wakes the dispatcher of another, which has no sweep to wait for', async () => {
    const receiver = await webReceiver()
    const [filing, sending] = await open()
    await register(filing, receiver.url)
    announcing(filing)
    dispatching(sending, { queue: sending.queue, ...no_sweep })
    for (let sent = 1; sent <= 5; sent += 1) {
      await pay(filing)
      await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(sent)
    }
  })

  it('is delivered by another process where its own has no slot left', async () => {
    const held = gate()
    const receiver = await webReceiver(held.answer)
    const [one, other] = await open()
    await register(one, receiver.url)
    for (const process of [one, other])
      dispatching(process, { queue: process.queue, concurrency: 1, ...no_sweep })
    await payTimes(one, 2)
    await expect.poll(() => receiver.running.length, { timeout: 20_000 }).toBe(2)
    held.open()
  })

  it('wakes the dispatcher through the store too, for a process that knows nothing of Redis', async () => {
    const made = await service()
    const heard: (() => void)[] = []
    const store = withOwn(made.store, {
      onDeliveriesElsewhere(wake) {
        heard.push(wake)
        return () => void heard.splice(heard.indexOf(wake), 1)
      },
    })
    const { engine } = await service({ store, clock: made.clock })
    const queue = redisQueue(redisClient(url))(engine)
    const leave = queue.onReady(() => {})
    expect(heard).toHaveLength(1)
    leave()
    expect(heard).toHaveLength(0)
    await queue.close()
  })

  it('wakes nobody on another channel', async () => {
    const [filing, sending] = await open()
    const [elsewhere] = await open()
    await register(filing, 'http://127.0.0.1:9/nobody')
    announcing(filing)
    const woken = Promise.withResolvers<void>()
    let elsewhere_woken = 0
    const far = elsewhere.queue(elsewhere.engine)
    const near = sending.queue(sending.engine)
    // Each subscription begins with a wake-up of its own.
    await Promise.all([firstWake(far), firstWake(near)])
    far.onReady(() => {
      elsewhere_woken += 1
    })
    near.onReady(woken.resolve)
    await pay(filing)
    await woken.promise
    await Promise.all([far.close(), near.close()])
    expect(elsewhere_woken).toBe(0)
  })
})

describeOnRedis('ten deliveries of a workspace at a time', found !== null, () => {
  it('is the limit over the dispatchers of two processes, and each delivery is sent once', async () => {
    const held = gate()
    const receiver = await webReceiver(held.answer)
    const [one, other] = await open()
    await register(one, receiver.url)
    await payTimes(one, 40)
    for (const process of [one, other])
      dispatching(process, { queue: process.queue, concurrency: 8, ...no_sweep })
    await expect.poll(() => receiver.running.length, { timeout: 20_000 }).toBe(10)
    await pay({ engine: other.engine, caller: one.caller })
    expect(await one.engine.deliveries.claim(50)).toEqual([])
    expect(await other.engine.deliveries.claim(50)).toEqual([])
    held.open()
    await expect.poll(() => receiver.received.length, { timeout: 20_000 }).toBe(41)
    expect(new Set(receiver.received.map(eventOf)).size).toBe(41)
    expect(receiver.most).toBe(10)
  })
})

describeOnRedis('announcements', found !== null, () => {
  it('are two at most for what is filed at once', async () => {
    const { queue, file, heard, publish } = await announcer(url)
    for (let commit = 0; commit < 1_000; commit += 1) file()
    await expect.poll(() => heard.length).toBeGreaterThan(0)
    await queue.close()
    await publish('end')
    expect(heard.at(-1)).toBe('end')
    expect(heard.length - 1).toBeLessThanOrEqual(2)
  })

  it('pause for what is filed soon after, and none of it is forgotten', async () => {
    const { file, timers, heard, publish } = await announcer(url)
    file()
    await expect.poll(() => timers.length).toBe(1)
    for (let commit = 0; commit < 5; commit += 1) file()
    await publish('in the pause')
    expect(heard.slice(1)).toEqual(['in the pause'])
    timers[0]?.()
    await expect.poll(() => heard.length).toBe(3)
    expect(heard[2]).toBe(heard[0])
  })

  it('are made in the pause too where the queue is closed', async () => {
    const { queue, file, timers, heard, publish } = await announcer(url)
    file()
    await expect.poll(() => timers.length).toBe(1)
    file()
    await queue.close()
    await publish('end')
    expect(heard).toEqual([heard[0], heard[0], 'end'])
  })
})

describe('a process that runs on one dispatcher', () => {
  it('needs no Redis at all for what it files itself', async () => {
    const { made, receiver } = await subscribed()
    dispatching(made, { queue: redisQueue(redisClient('redis://127.0.0.1:1')), ...no_sweep })
    await payTimes(made, 3)
    await expect.poll(() => receiver.received.length).toBe(3)
  })
})
