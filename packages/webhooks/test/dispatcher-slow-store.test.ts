import type { LeasedDelivery } from '@quittance/core'
import { describe, expect, it, vi } from 'vitest'
import { Claims } from '../src/dispatcher/claims.ts'
import { type OpenQueue, storeQueue } from '../src/index.ts'
import {
  deliveriesOf,
  dispatching,
  holdTimers,
  lastEvent,
  pay,
  payTimes,
  register,
  service,
  subscribed,
} from './service.ts'
import { eventOf, gate, webReceiver } from './web-receiver.ts'

describe('a workspace whose outcomes cannot be written', () => {
  it('holds up no other, where what was claimed of it fails at once', async () => {
    const receiver = await webReceiver()
    const before = await service()
    await register(before, 'http://127.0.0.1:1/hook')
    await pay(before)
    const { store, clock, caller } = before
    const made = await service({ store, clock })
    await register(made, receiver.url)
    await payTimes(made, 3)
    const held = gate()
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async record(attempts) {
        if (attempts.some(({ delivery }) => delivery.workspace === caller.workspace.id)) await held.answer()
        await engine.deliveries.record(attempts)
      },
    })
    const dispatcher = dispatching(made, { queue })
    await expect.poll(() => receiver.received.length).toBe(3)
    held.open()
    await dispatcher.drain()
    const deliveries = await deliveriesOf({ ...made, caller }, (await lastEvent({ ...made, caller })).id)
    expect(deliveries).toMatchObject([{ attempt_count: 1, last_error: 'connection refused' }])
  })
})

describe('a claim that takes long', () => {
  it.each(['before', 'after'])('does not keep what ends %s it is slow from being recorded', async (when) => {
    const [held, hung] = [gate(), gate()]
    const { made, receiver } = await subscribed(held.answer)
    const slow = Promise.withResolvers<void>()
    const { after } = made.clock
    made.clock.after = (delay_ms, wake) =>
      after(delay_ms, () => {
        wake()
        if (delay_ms === 1_000) slow.resolve()
      })
    await payTimes(made, 12)
    let [claims, recorded] = [0, 0]
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async claim(limit, own) {
        claims += 1
        if (claims === 2) await hung.answer()
        return engine.deliveries.claim(limit, own)
      },
      async record(attempts) {
        await engine.deliveries.record(attempts)
        recorded += attempts.length
      },
    })
    const dispatcher = dispatching(made, { queue, pollMs: 20, concurrency: 20 })
    await expect.poll(() => [receiver.running.length, claims]).toEqual([10, 2])
    if (when === 'after') await slow.promise
    held.open()
    await expect.poll(() => recorded).toBe(10)
    hung.open()
    await dispatcher.drain()
    expect(receiver.received.map(eventOf).toSorted()).toEqual(
      [...new Set(receiver.received.map(eventOf))].toSorted(),
    )
    expect(receiver.received).toHaveLength(12)
  })

  it('is not said to when it is over', async () => {
    const { engine, clock } = await service()
    const wait = holdTimers(clock, 1_000)
    const onSlow = vi.fn()
    const queue = { claim: async () => [] }
    const claims = new Claims({ engine, queue, onSlow, onFault: () => {}, onRested: () => {} })
    await claims.claim(1, {})
    wait()
    expect(onSlow).not.toHaveBeenCalled()
  })

  it('gives nothing that is sent to an endpoint that was disabled meanwhile', async () => {
    const receiver = await webReceiver()
    const made = await service()
    const { id } = await register(made, receiver.url)
    await pay(made)
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async claim(limit, own) {
        const claimed = await engine.deliveries.claim(limit, own)
        if (claimed.length === 0) return claimed
        made.clock.pass(10_000)
        ;(await engine.webhook_endpoints.update(made.caller, { id, status: 'disabled' }))._unsafeUnwrap()
        return claimed
      },
    })
    await dispatching(made, { queue }).drain()
    expect(receiver.received).toEqual([])
    expect(await deliveriesOf(made, (await lastEvent(made)).id)).toMatchObject([{ status: 'canceled' }])
  })
})

describe('what came too late to be sent', () => {
  it('is given back again if the store could not take it back', async () => {
    const { made, receiver } = await subscribed()
    await pay(made)
    let [jumped, releases] = [false, 0]
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async claim(limit, own) {
        const claimed = await engine.deliveries.claim(limit, own)
        if (claimed.length > 0 && !jumped) made.clock.pass(-60_000)
        jumped = true
        return claimed
      },
      async release(leases) {
        releases += 1
        if (releases < 3) throw new Error('the store is away')
        await engine.deliveries.release(leases)
      },
    })
    const dispatcher = dispatching(made, { queue })
    await dispatcher.drain()
    made.clock.pass(60_000)
    await dispatcher.drain()
    expect([receiver.received.length, releases]).toEqual([1, 3])
  })

  it('is given back also where the check of its endpoint took so long', async () => {
    const { made, receiver } = await subscribed()
    await pay(made)
    let [claims, releases] = [0, 0]
    const { unchanged } = made.engine.deliveries
    made.engine.deliveries.unchanged = async (deliveries) => {
      made.clock.pass(10_000)
      return unchanged(deliveries)
    }
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async claim(limit, own) {
        const claimed = await engine.deliveries.claim(limit, own)
        claims += 1
        if (claims === 1) made.clock.pass(10_000)
        return claimed
      },
      async release(leases) {
        releases += 1
        await engine.deliveries.release(leases)
      },
    })
    await dispatching(made, { queue }).drain()
    expect([receiver.received.length, releases]).toEqual([1, 1])
  })

  it('is not claimed again and again at once, where the next claim is no better', async () => {
    const made = await service()
    await register(made, 'http://127.0.0.1:9/nobody')
    await pay(made)
    let [claims, pauses] = [0, 0]
    const { after } = made.clock
    made.clock.after = (delay_ms, wake) => {
      if (delay_ms === 100) pauses += 1
      return after(delay_ms, wake)
    }
    const tooLong = (delivery: LeasedDelivery) => ({ ...delivery, lease_until: '9999-12-31T00:00:00.000Z' })
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async claim(limit, own) {
        claims += 1
        return (await engine.deliveries.claim(limit, own)).map(tooLong)
      },
    })
    dispatching(made, { queue })
    await expect.poll(() => claims).toBeGreaterThan(3)
    expect(pauses).toBeGreaterThanOrEqual(3)
  })
})
