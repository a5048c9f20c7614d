import { describe, expect, it } from 'vitest'
import { aroundUnit } from '../../testing/src/ports/around.ts'
import { type OpenQueue, storeQueue } from '../src/index.ts'
import { anotherProcess, blind, leasesOf, runningTwice } from './leased-by-commits.ts'
import { dispatching, lastEvent, pay, payTimes, register, service, subscribed } from './service.ts'
import { eventOf, gate, webReceiver } from './web-receiver.ts'

describe('what is filed while a dispatcher is idle', () => {
  it('goes to another one of the process if the first is busy', async () => {
    const held = gate()
    const { made, receiver } = await subscribed(held.answer)
    for (let count = 0; count < 2; count += 1) await dispatching(made, { queue: blind }).drain()
    await payTimes(made, 5)
    await expect.poll(() => receiver.running.length).toBe(4)
    expect((await leasesOf(made)).toSorted()).toEqual([0, 1, 1, 1, 1])
    held.open()
  })

  it('waits for the first claim, behind what was due before', async () => {
    const held = gate()
    const { made, receiver } = await subscribed()
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async claim(...asked) {
        await held.answer()
        return engine.deliveries.claim(...asked)
      },
    })
    dispatching(made, { queue })
    await pay(made)
    const leases = await leasesOf(made)
    held.open()
    expect(leases).toEqual([0])
    await expect.poll(() => receiver.received.length).toBe(1)
  })

  it('finds a fifth of the slots that a claim leaves to it', async () => {
    const { made } = await subscribed()
    const limits: number[] = []
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      claim(limit, ended) {
        limits.push(limit)
        return engine.deliveries.claim(limit, ended)
      },
    })
    const dispatcher = dispatching(made, { queue, concurrency: 10, pollMs: 3_600_000 })
    for (let count = 0; count < 2; count += 1) await dispatcher.drain()
    expect([limits[0], limits.at(-1)]).toEqual([10, 8])
  })

  it('leaves them to a second claim where so much is due that the first one takes all it may', async () => {
    const held = gate()
    const receiver = await webReceiver(held.answer)
    const made = await service()
    const { store, clock } = made
    const another = await service({ store, clock })
    const dispatcher = dispatching(another, { concurrency: 5, pollMs: 3_600_000 })
    for (let count = 0; count < 2; count += 1) await dispatcher.drain()
    await register(made, receiver.url)
    await payTimes(made, 6)
    const drained = dispatcher.drain()
    await expect.poll(() => receiver.running.length).toBe(5)
    held.open()
    await drained
  })

  it('is left to a claim if it cannot be signed', async () => {
    const before = await service()
    await register(before, 'https://a.example.com/hook')
    const { store, clock, caller } = before
    const made = {
      ...(await service({ store, clock, secret: 'the secret it was changed to, later' })),
      caller,
    }
    await dispatching(made, { queue: blind }).drain()
    await pay(made)
    expect(await leasesOf(made)).toEqual([0])
  })

  it('is left to a claim if it would take a place that is kept for endpoints without an attempt', async () => {
    const made = await service()
    await register(made, 'https://a.example.com/hook')
    await payTimes(made, 8)
    expect(await made.engine.deliveries.claim(8)).toHaveLength(8)
    await dispatching(made, { queue: blind }).drain()
    await pay(made)
    expect((await leasesOf(made)).toSorted()).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 1])
  })

  it('is left to a claim if the unit of work ran again and could not lease it the second time', async () => {
    const receiver = await webReceiver()
    const { store, clock, caller } = await service()
    const twice = runningTwice(store, {
      within: (tx) =>
        aroundUnit(tx, async (call, run) => (call.method === 'leaseDeliveries' ? false : await run())),
    })
    const made = { ...(await service({ store: twice, clock })), caller }
    await register(made, receiver.url)
    await dispatching(made, { queue: blind }).drain()
    await pay(made)
    expect(await leasesOf(made)).toEqual([0])
    await dispatching(made).drain()
    expect(receiver.received.map(eventOf)).toEqual([(await lastEvent(made)).id])
    expect(await leasesOf(made)).toEqual([1])
  })

  it('is left to a claim if the unit of work ran again and filed more than it had booked slots for', async () => {
    const before = await service()
    const { store, clock, caller } = before
    const urls: string[] = []
    const twice = runningTwice(store, {
      before: async () => {
        for (const url of urls.splice(0)) await register(before, url)
      },
    })
    const made = { ...(await service({ store: twice, clock })), caller }
    await register(before, 'https://a.example.com/hook')
    await dispatching(made, { queue: blind, concurrency: 1 }).drain()
    const page = await made.engine.checkout_sessions.create(caller, {
      amount: 1_000,
      currency: 'usd',
      success_url: 'https://shop.example.com',
      cancel_url: 'https://shop.example.com',
    })
    urls.push('https://b.example.com/hook')
    await made.engine.checkout_sessions.expire(caller, { id: page._unsafeUnwrap().id })
    expect(await leasesOf(made)).toEqual([0, 0])
  })

  it('has its slots to itself until it is committed, and gives them back at once to what waited for them if it is not', async () => {
    const held = gate()
    const { made, receiver } = await subscribed()
    const slow = await anotherProcess(made, async () => {
      await held.answer()
      throw new Error('the answer was lost')
    })
    let [isBlind, claims] = [true, 0]
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async claim(...asked) {
        if (isBlind) return []
        claims += 1
        return engine.deliveries.claim(...asked)
      },
    })
    const dispatcher = dispatching(slow, { queue, concurrency: 1, pollMs: 3_600_000 })
    await dispatcher.drain()
    const paid = pay(slow)
    await expect.poll(() => leasesOf(made)).toEqual([1])
    isBlind = false
    await pay(made)
    const { id } = await lastEvent(made)
    void dispatcher.drain()
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    expect(claims).toBe(0)
    held.open()
    await paid
    await expect.poll(() => receiver.received.map(eventOf)).toEqual([id])
  })
})
