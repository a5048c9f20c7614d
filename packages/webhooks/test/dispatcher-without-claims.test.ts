import { describe, expect, it, onTestFinished } from 'vitest'
import { withOwn } from '../../testing/src/ports/around.ts'
import type { Dispatcher } from '../src/index.ts'
import { anotherProcess, blind, leasesOf, rowsOf } from './leased-by-commits.ts'
import {
  deliveriesOf,
  dispatching,
  lastEvent,
  pay,
  payTimes,
  register,
  type Service,
  service,
  subscribed,
} from './service.ts'
import { eventOf, gate, webReceiver } from './web-receiver.ts'

const lease_ms = 30_000

const page = {
  amount: 1_000,
  currency: 'usd' as const,
  success_url: 'https://a.example',
  cancel_url: 'https://a.example',
}

describe('what the process of a dispatcher files', () => {
  it('is sent without a claim, under the lease of the commit that filed it', async () => {
    const held = gate()
    const { made, receiver } = await subscribed(held.answer)
    await dispatching(made, { queue: blind }).drain()
    await pay(made)
    await expect.poll(() => receiver.running.length).toBe(1)
    const { id } = await lastEvent(made)
    const [row] = await rowsOf(made)
    const lease_until = new Date(made.clock.real() + lease_ms).toISOString()
    expect(row).toMatchObject({ status: 'pending', lease: 1, lease_until })
    held.open()
    await expect.poll(() => deliveriesOf(made, id)).toMatchObject([{ status: 'succeeded', attempt_count: 1 }])
  })

  it('is sent again to whoever asks for it, without a claim too', async () => {
    const receiver = await webReceiver()
    const made = await service()
    const { id: endpoint } = await register(made, receiver.url)
    await dispatching(made, { queue: blind }).drain()
    await pay(made)
    const { id } = await lastEvent(made)
    await expect.poll(() => deliveriesOf(made, id)).toMatchObject([{ status: 'succeeded' }])
    ;(await made.engine.events.resend(made.caller, { id, endpoint }))._unsafeUnwrap()
    await expect.poll(() => receiver.received.map(eventOf)).toEqual([id, id])
  })

  it('is sent at once beside one attempt that hangs, and not beside two', async () => {
    const held = gate()
    const { made, receiver } = await subscribed(held.answer)
    await dispatching(made, { queue: blind }).drain()
    await payTimes(made, 3)
    await expect.poll(() => receiver.running.length).toBe(2)
    expect((await leasesOf(made)).toSorted()).toEqual([0, 1, 1])
    held.open()
  })

  it('waits for a claim where its workspace has ten on the wire', async () => {
    const held = gate()
    const { made, receiver } = await subscribed(held.answer)
    await dispatching(made).drain()
    await payTimes(made, 12)
    await expect.poll(() => receiver.running.length).toBe(10)
    held.open()
    await expect.poll(() => receiver.received.length).toBe(12)
    expect(receiver.most).toBe(10)
    expect(new Set(receiver.received.map(eventOf)).size).toBe(12)
  })

  it('waits for its slots, however many units of work file at once', async () => {
    const held = gate()
    const { made, receiver } = await subscribed(held.answer)
    await dispatching(made, { concurrency: 2 }).drain()
    await Promise.all(Array.from({ length: 6 }, () => pay(made)))
    await expect.poll(() => receiver.running.length).toBe(2)
    held.open()
    await expect.poll(() => receiver.received.length).toBe(6)
    expect(receiver.most).toBe(2)
    expect(new Set(receiver.received.map(eventOf)).size).toBe(6)
  })

  it('is sent by a dispatcher that is stopped before it hears of the commit: it waits for that', async () => {
    const { made, slow, receiver, late } = await hearingLate()
    const dispatcher = dispatching(slow, { queue: blind })
    const { paid } = await filedBy(slow, dispatcher)
    const stopping = dispatcher.stop()
    late.open()
    await paid
    await stopping
    expect(receiver.received).toHaveLength(1)
    expect(await deliveriesOf(made, (await lastEvent(made)).id)).toMatchObject([{ status: 'succeeded' }])
  })

  it('is sent before a drain ends that began after the commit', async () => {
    const { slow, receiver, late } = await hearingLate()
    const dispatcher = dispatching(slow, { queue: blind })
    const { paid } = await filedBy(slow, dispatcher)
    const drained = dispatcher.drain().then(() => receiver.received.length)
    // Long enough to look at all that is due, which this is.
    await new Promise((resolve) => setTimeout(resolve, 50))
    late.open()
    await paid
    expect(await drained).toBe(1)
  })

  it.each([
    ['is sent under its lease if the commit is heard of a while later', 1_500, 1],
    [
      'is given back, and claimed, if the commit is heard of so late that an attempt could outlast its lease',
      15_500,
      2,
    ],
  ])('%s', async (_, late_ms, lease) => {
    const { made, slow, receiver, late } = await hearingLate()
    const { paid } = await filedBy(slow, dispatching(slow, { pollMs: 3_600_000 }))
    made.clock.pass(late_ms)
    late.open()
    await paid
    await expect.poll(() => receiver.received.length).toBe(1)
    expect(await leasesOf(made)).toEqual([lease])
  })

  it('is not sent if its endpoint was disabled before the commit was heard of, seconds later', async () => {
    const { made, slow, receiver, late, endpoint } = await hearingLate()
    const dispatcher = dispatching(slow)
    const { paid } = await filedBy(slow, dispatcher)
    const changes = { id: endpoint, status: 'disabled' as const }
    ;(await made.engine.webhook_endpoints.update(made.caller, changes))._unsafeUnwrap()
    made.clock.pass(3_000)
    late.open()
    await paid
    made.clock.pass(lease_ms)
    await dispatcher.drain()
    expect(receiver.received).toHaveLength(0)
    expect(await deliveriesOf(made, (await lastEvent(made)).id)).toMatchObject([{ status: 'canceled' }])
  })

  it('finds the slots free again that were kept for a commit whose answer was lost', async () => {
    const { made, receiver } = await subscribed()
    const faults = [new Error('the answer was lost')]
    const lossy = await anotherProcess(made, async () => {
      const fault = faults.pop()
      if (fault) throw fault
    })
    await dispatching(lossy, { queue: blind, concurrency: 1 }).drain()
    await payTimes(lossy, 2)
    expect(faults).toEqual([])
    const second = await lastEvent(lossy)
    await expect.poll(() => receiver.received.map(eventOf)).toEqual([second.id])
  })

  it('keeps no slot of a dispatcher that began while a unit of work waited, if its commit is lost', async () => {
    const made = await service()
    await register(made, 'https://a.example.com/hook')
    const { store, clock, caller } = made
    const begun = gate()
    let isLossy = false
    const loses = async <Answer>(commit: () => PromiseLike<Answer>): Promise<Answer> => {
      if (!isLossy) return commit()
      await begun.answer()
      await commit()
      throw new Error('the answer was lost')
    }
    const lossy = withOwn(store, {
      transaction: (scope, work) => loses(() => store.transaction(scope, work)),
    })
    const { engine } = await service({ store: lossy, clock })
    isLossy = true
    const { id } = (await made.engine.checkout_sessions.create(caller, page))._unsafeUnwrap()
    const expiring = engine.checkout_sessions.expire(caller, { id })
    let kept = 0
    engine.deliveries.giveFiled((count) => {
      kept += count
      const release = () => {
        kept -= count
      }
      return { release, send: release }
    })
    begun.open()
    await expect(async () => await expiring).rejects.toThrow('the answer was lost')
    await expect.poll(() => kept).toBe(0)
  })

  it('keeps the slots of one run, however often its unit of work runs again', async () => {
    const made = await service()
    await register(made, 'https://a.example.com/hook')
    const { id } = (await made.engine.checkout_sessions.create(made.caller, page))._unsafeUnwrap()
    const undone = new Error('undone')
    const again = withOwn(made.store, {
      async transaction(scope, work) {
        const run = (isLast: boolean) =>
          made.store.transaction(scope, async (tx) => {
            const result = await work(tx)
            if (!isLast) throw undone
            return result
          })
        for (let count = 1; count < 5; count += 1) await expect(run(false)).rejects.toBe(undone)
        return run(true)
      },
    })
    const { engine } = await service({ store: again, clock: made.clock })
    let kept = 0
    let most = 0
    engine.deliveries.giveFiled((count) => {
      kept += count
      most = Math.max(most, kept)
      const release = () => {
        kept -= count
      }
      return { release, send: release }
    })
    ;(await engine.checkout_sessions.expire(made.caller, { id }))._unsafeUnwrap()
    expect([most, kept]).toEqual([1, 0])
    expect(await leasesOf(made)).toEqual([1])
  })

  it('stays accepted though who would send it throws', async () => {
    const made = await service()
    const receiver = await webReceiver()
    await register(made, receiver.url)
    const leave = made.engine.deliveries.giveFiled(() => ({
      send() {
        throw new Error('out of order')
      },
      release() {},
    }))
    onTestFinished(leave)
    await pay(made)
    expect(made.logged).toContain('announcing deliveries failed')
    expect(await deliveriesOf(made, (await lastEvent(made)).id)).toMatchObject([{ status: 'pending' }])
  })
})

/** A process with an endpoint, and another one on its rows that hears late of what it has leased. */
async function hearingLate() {
  const receiver = await webReceiver()
  const made = await service()
  const { id: endpoint } = await register(made, receiver.url)
  const late = gate()
  return { receiver, made, endpoint, late, slow: await anotherProcess(made, late.answer) }
}

/** A payment whose delivery is leased and committed, which its process has not heard of. */
async function filedBy(slow: Service, dispatcher: Dispatcher): Promise<{ paid: Promise<unknown> }> {
  await dispatcher.drain()
  const paid = pay(slow)
  await expect.poll(() => leasesOf(slow)).toEqual([1])
  return { paid }
}
