import { type LeasedDelivery, type Store, systemClock } from '@quittance/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshStore } from '../../core/test/stores/tested-store.ts'
import { release_after_ms } from '../src/dispatcher/leased.ts'
import { createSender, type OpenQueue, type Sender, storeQueue } from '../src/index.ts'
import {
  deliveriesOf,
  dispatching,
  holdTimers,
  lastEvent,
  payTimes,
  register,
  type Service,
  service,
  standingClock,
} from './service.ts'
import { eventOf, gate, type WebReceiver, webReceiver } from './web-receiver.ts'

describe('what a dispatcher leases ahead of an endpoint that answers quickly', () => {
  it('is sent in the places of attempts that have ended, with few claims, and never more than ten at a time', async () => {
    const { made, queue, seen } = await leasingAhead()
    const receiver = await webReceiver(() => new Promise((resolve) => setTimeout(resolve, 1, 200)))
    await register(made, receiver.url)
    await payTimes(made, 200)
    await dispatching(made, { queue }).drain()
    expect(new Set(receiver.received.map(eventOf)).size).toBe(200)
    expect(receiver.received).toHaveLength(200)
    expect(receiver.most).toBeGreaterThan(1)
    expect(receiver.most).toBeLessThanOrEqual(10)
    expect(seen.ahead).toBeGreaterThan(100)
    expect(seen.returned).toBe(0)
  })

  it('takes no place of another endpoint, once its own becomes slow', async () => {
    const { made, queue, seen, release } = await leasingAhead()
    const held = gate()
    const [slow, fast] = [await quickAtFirst(held.answer), await webReceiver()]
    await register(made, slow.url)
    await register(made, fast.url)
    await payTimes(made, 60)
    dispatching(made, { queue })
    const toAll = (receiver: WebReceiver) =>
      expect
        .poll(() => {
          release()
          return receiver.received.length
        })
        .toBe(60)
    await toAll(fast)
    expect(seen.ahead).toBeGreaterThan(0)
    expect(slow.running.length).toBeLessThan(10)
    held.open()
    await toAll(slow)
  })

  it('has no place that a claim may also have found free: what ends during a claim is recorded after it', async () => {
    const { made, queue } = await leasingAhead()
    const receiver = await webReceiver()
    await register(made, receiver.url)
    await payTimes(made, 60)
    let claiming = 0
    let recorded_meanwhile = 0
    /** What the claims knew to have ended. */
    const asked = new Set<unknown>()
    const slow: OpenQueue = (engine) => {
      const own = queue(engine)
      return {
        ...own,
        async claim(limit, options) {
          const { length: before } = receiver.received
          for (const lease of options?.ended ?? []) asked.add(lease)
          claiming += 1
          // Until more has come, if there is anything on the wire, and for as long as outcomes of it are gathered.
          for (let turn = 0; turn < 50 && receiver.received.length === before; turn += 1)
            await milliseconds(1)
          await milliseconds(10)
          const claimed = await own.claim(limit, options)
          claiming -= 1
          return claimed
        },
        async record(attempts) {
          if (claiming > 0 && attempts.some(({ delivery }) => !asked.has(delivery))) recorded_meanwhile += 1
          await own.record(attempts)
        },
      }
    }
    await dispatching(made, { queue: slow }).drain()
    expect(receiver.received).toHaveLength(60)
    expect(recorded_meanwhile).toBe(0)
  })

  // Both are recorded before the claim looks.
  it.each(['before', 'after'])(
    'has no place of what ended %s the claim was slow: it gives that away itself',
    async (when) => {
      const { made, queue } = await leasingAhead()
      const becomeSlow = holdTimers(made.clock, 1_000)
      const [first, others, hung] = [gate(), gate(), gate()]
      let [asked, ended, claims, recorded] = [0, 0, 0, 0]
      const receiver = await webReceiver(() => {
        asked += 1
        if (asked <= 5) return 200
        return asked <= 10 ? first.answer() : others.answer()
      })
      await register(made, receiver.url)
      await payTimes(made, 40)
      const slow: OpenQueue = (engine) => {
        const own = queue(engine)
        return {
          ...own,
          async claim(limit, options) {
            claims += 1
            if (claims === 2) await hung.answer()
            return own.claim(limit, options)
          },
          async record(attempts) {
            await own.record(attempts)
            recorded += attempts.length
          },
        }
      }
      const own = createSender({ allowInsecureDestinations: true })
      const sender: Sender = {
        ...own,
        async send(request) {
          const outcome = await own.send(request)
          ended += 1
          return outcome
        },
      }
      onTestFinished(() => own.close())
      dispatching(made, { queue: slow, sender, pollMs: 3_600_000 })
      await expect.poll(() => [claims, receiver.running.length]).toEqual([2, 5])
      if (when === 'after') becomeSlow()
      first.open()
      await expect.poll(() => ended).toBe(10)
      if (when === 'before') becomeSlow()
      await expect.poll(() => recorded).toBe(10)
      hung.open()
      await expect.poll(() => receiver.running.length).toBe(10)
      others.open()
      await expect.poll(() => receiver.received.length).toBe(40)
      expect(receiver.most).toBe(10)
    },
  )

  // Seed 2081105 of the simulation.
  it('is given back where its lease was over when the claim was answered, and not sent if another has it by then', async () => {
    const { made, queue } = await leasingAhead()
    const another = await service({ store: made.store, clock: made.clock })
    const receiver = await webReceiver()
    await register(made, receiver.url)
    await payTimes(made, 20)
    const taken: LeasedDelivery[] = []
    let claims = 0
    const late: OpenQueue = (engine) => {
      const own = queue(engine)
      return {
        ...own,
        async claim(limit, options) {
          const claimed = await own.claim(limit, options)
          claims += 1
          if (claims === 2) {
            await expect.poll(() => recorded(made)).toBe(1)
            made.clock.pass(31_000)
          }
          return claimed
        },
        async release(unsent) {
          if (taken.length === 0) {
            taken.push(...(await another.engine.deliveries.claim(50)))
            made.clock.pass(-31_000)
          }
          await own.release(unsent)
        },
      }
    }
    await dispatching(made, { queue: late, concurrency: 1 }).drain()
    const events = [...receiver.received.map(eventOf), ...taken.map(({ event }) => event)]
    expect(taken).not.toEqual([])
    expect(new Set(events).size).toBe(events.length)
  })

  it('is given back if it was not sent in time, so that others can take it', async () => {
    const { made, seen, release, held, receiver } = await waitingBehindTen()
    expect(await leased(made)).toBeGreaterThan(10)
    release()
    await expect.poll(() => leased(made)).toBe(10)
    expect(seen.returned).toBeGreaterThan(0)
    held.open()
    await expect.poll(() => receiver.received.length).toBe(40)
  })

  it('is canceled, not sent, once its endpoint is disabled', async () => {
    const { made, endpoint, held, receiver, begun, dispatcher } = await waitingBehindTen()
    const last = await lastEvent(made)
    await made.engine.webhook_endpoints.update(made.caller, { id: endpoint, status: 'disabled' })
    held.open()
    await dispatcher.drain()
    expect(receiver.received).toHaveLength(begun)
    expect(await deliveriesOf(made, last.id)).toMatchObject([{ status: 'canceled', attempt_count: 0 }])
    expect(await leased(made)).toBe(0)
  })

  it('goes to where its endpoint has moved meanwhile', async () => {
    const { made, endpoint, held, receiver, begun, dispatcher } = await waitingBehindTen()
    const moved = await webReceiver()
    made.clock.pass(1)
    await made.engine.webhook_endpoints.update(made.caller, { id: endpoint, url: moved.url })
    held.open()
    await dispatcher.drain()
    expect([receiver.received.length, moved.received.length]).toEqual([begun, 40 - begun])
  })

  it('is given back when the dispatcher stops', async () => {
    const { made, held, receiver, begun, dispatcher } = await waitingBehindTen()
    const stopped = dispatcher.stop()
    held.open()
    await stopped
    expect(receiver.received).toHaveLength(begun)
    expect(await leased(made)).toBe(0)
    await dispatching(made).drain()
    expect(receiver.received).toHaveLength(40)
  })

  it('is sent later where the store cannot say how its endpoint is, or take it back', async () => {
    let isAway = false
    const away = () => Promise.reject(new Error('the store is away'))
    const { made, held, receiver, begun, dispatcher } = await waitingBehindTen({
      wrap: (store) => ({ ...store, read: (scope, work) => (isAway ? away() : store.read(scope, work)) }),
      over: (queue) => (engine) => ({ ...queue(engine), release: away }),
    })
    isAway = true
    held.open()
    await expect.poll(() => made.logged).toContain('claiming deliveries fails')
    await expect.poll(() => made.logged).toContain('releasing deliveries fails')
    expect(receiver.received).toHaveLength(begun)
    isAway = false
    await expect.poll(() => recorded(made)).toBe(begun)
    made.clock.pass(30_000)
    await dispatcher.drain()
    expect(made.logged).toContain(not_released)
    expect(new Set(receiver.received.map(eventOf)).size).toBe(40)
    expect(receiver.received).toHaveLength(40)
  })

  // Its lease may be over when the answer comes, and a clock that has gone back would not tell.
  it('is given back while the store takes long to say how its endpoint is', async () => {
    const { slow, answer, wrap } = slowReads()
    const { made, seen, release, held, receiver, begun, dispatcher } = await waitingBehindTen({ wrap })
    const waiting = (await leased(made)) - 10
    slow.isOn = true
    held.open()
    await expect.poll(() => slow.asked).toBeGreaterThan(0)
    release()
    await expect.poll(() => seen.returned).toBe(waiting)
    expect(receiver.received).toHaveLength(begun)
    slow.isOn = false
    answer.open()
    await dispatcher.drain()
    expect(receiver.received).toHaveLength(40)
    expect(new Set(receiver.received.map(eventOf)).size).toBe(40)
  })

  it('is given back when the dispatcher stops while the store says how its endpoint is', async () => {
    const { slow, answer, wrap } = slowReads()
    const { made, held, receiver, begun, dispatcher } = await waitingBehindTen({ wrap })
    slow.isOn = true
    held.open()
    await expect.poll(() => slow.asked).toBeGreaterThan(0)
    const stopped = dispatcher.stop()
    slow.isOn = false
    answer.open()
    await stopped
    expect(receiver.received).toHaveLength(begun)
    expect(await leased(made)).toBe(0)
  })

  it('is left until its lease is over when the dispatcher stops and the store cannot take it back', async () => {
    const { made, held, receiver, begun, dispatcher } = await waitingBehindTen({
      over: (queue) => (engine) => ({
        ...queue(engine),
        release: () => Promise.reject(new Error('the store is away')),
      }),
    })
    const stopped = dispatcher.stop()
    held.open()
    await stopped
    expect(made.logged).toContain(not_released)
    expect(receiver.received).toHaveLength(begun)
    expect(await leased(made)).toBeGreaterThan(0)
  })
})

const not_released = 'deliveries were not released and wait until their leases expire'

/** What was leased ahead is given back for its slowness only once `release` is called. */
async function leasingAhead(wrap: (store: Store) => Store = (store) => store) {
  const overdue: (() => void)[] = []
  const clock = {
    ...standingClock(),
    after(delay_ms: number, wake: () => void) {
      if (delay_ms !== release_after_ms) return systemClock.after(delay_ms, wake)
      overdue.push(wake)
      return () => {}
    },
  }
  const store = wrap(await freshStore())
  const made = await service({ store, clock })
  const seen = { ahead: 0, returned: 0 }
  const queue: OpenQueue = (engine) => {
    const own = storeQueue(engine)
    return {
      ...own,
      async claim(limit, options) {
        const claimed = await own.claim(limit, options)
        seen.ahead += claimed.filter(({ ahead }) => ahead).length
        return claimed
      },
      async release(leases) {
        seen.returned += leases.length
        await own.release(leases)
      },
    }
  }
  const release = () => {
    for (const wake of overdue.splice(0)) wake()
  }
  return { made, queue, seen, release }
}

interface Waiting {
  wrap?: (store: Store) => Store
  over?: (queue: OpenQueue) => OpenQueue
}

/** Of forty deliveries the first ten are sent, the next ten hang, and of the others some wait for the places of those. */
async function waitingBehindTen({ wrap, over = (queue) => queue }: Waiting = {}) {
  const ground = await leasingAhead(wrap)
  const { made, queue, seen } = ground
  const held = gate()
  const receiver = await quickAtFirst(held.answer)
  const { id: endpoint } = await register(made, receiver.url)
  await payTimes(made, 40)
  const dispatcher = dispatching(made, { queue: over(queue) })
  await expect.poll(() => seen.ahead).toBeGreaterThan(0)
  await expect.poll(() => receiver.running.length).toBe(10)
  // Until then the first ten are under their leases, too.
  await expect.poll(() => recorded(made)).toBe(10)
  return { ...ground, held, receiver, endpoint, dispatcher, begun: receiver.received.length }
}

/** A store whose reads wait for an answer while that is on. */
function slowReads() {
  const answer = gate()
  const slow = { isOn: false, asked: 0 }
  const wrap = (store: Store): Store => ({
    ...store,
    async read(scope, work) {
      if (slow.isOn) slow.asked += 1
      if (slow.isOn) await answer.answer()
      return store.read(scope, work)
    },
  })
  return { slow, answer, wrap }
}

/** Answers ten at once, and from then on as `answer` does. */
function quickAtFirst(answer: () => Promise<number>): Promise<WebReceiver> {
  let asked = 0
  return webReceiver(() => {
    asked += 1
    return asked <= 10 ? 200 : answer()
  })
}

const milliseconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count))

/** How many deliveries are under a lease. */
async function leased(made: Service): Promise<number> {
  return (await rowsOf(made, 'pending')).filter(({ lease_until }) => lease_until !== null).length
}

const recorded = async (made: Service) => (await rowsOf(made, 'succeeded')).length

function rowsOf({ store, caller }: Service, status: 'pending' | 'succeeded') {
  const scope = { workspace: caller.workspace.id, livemode: caller.livemode }
  return store.read(scope, ({ deliveries }) => deliveries.page({ where: { status }, limit: 100 }))
}
