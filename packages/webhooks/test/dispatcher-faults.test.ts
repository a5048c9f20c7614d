import { describe, expect, it } from 'vitest'
import { type AttemptOutcome, type OpenQueue, runOnce, storeQueue } from '../src/index.ts'
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
import { gate, webReceiver } from './web-receiver.ts'

const lease_ms = 30_000
const changed_secret = 'the secret it was changed to, later'
const too_slowly = 'deliveries are not sent: their leases could expire before their attempts end'

describe('an attempt that was interrupted by a crash', () => {
  it('is made again once its lease is over, and is not counted', async () => {
    const { made, receiver } = await subscribed()
    await pay(made)
    expect(await made.engine.deliveries.claim(1)).toHaveLength(1)
    const dispatcher = dispatching(made)
    made.clock.pass(lease_ms - 1)
    await dispatcher.drain()
    expect(receiver.received).toEqual([])
    made.clock.pass(1)
    await dispatcher.drain()
    expect(receiver.received).toHaveLength(1)
    const { id } = await lastEvent(made)
    expect(await deliveriesOf(made, id)).toMatchObject([{ status: 'succeeded', attempt_count: 1 }])
  })

  it('cannot be recorded by who slept through its lease', async () => {
    const { made } = await subscribed()
    await pay(made)
    const [slept] = await made.engine.deliveries.claim(1)
    made.clock.pass(lease_ms)
    await dispatching(made).drain()
    const { id } = await lastEvent(made)
    const before = await deliveriesOf(made, id)
    const at = new Date(made.clock.now()).toISOString()
    const attempt = { started_at: at, ended_at: at, response_status: 500, error: 'http 500' }
    if (slept !== undefined) await made.engine.deliveries.record([{ delivery: slept, attempt }])
    expect(await deliveriesOf(made, id)).toEqual(before)
    expect(before).toMatchObject([{ status: 'succeeded' }])
    expect(made.logged).toContain('a delivery lease was lost')
  })
})

describe('what was filed', () => {
  it('is accepted and sent, though what announces it elsewhere throws, or rejects', async () => {
    const { made, receiver } = await subscribed()
    made.engine.deliveries.onFiled(() => {
      throw new Error('the channel is closed')
    })
    made.engine.deliveries.onFiled(() => Promise.reject(new Error('the broker is away')))
    const queue: OpenQueue = (engine) => ({ ...storeQueue(engine), giveFiled: () => () => {} })
    await dispatching(made, { queue, pollMs: 3_600_000 }).drain()
    await pay(made)
    await expect.poll(() => receiver.received.length).toBe(1)
    expect(made.logged).toEqual(Array(2).fill('announcing deliveries failed'))
  })
})

describe('what was claimed', () => {
  it('is sent while the recording beside its claim still waits', async () => {
    const { made, receiver } = await subscribed()
    await payTimes(made, 10)
    const held = gate()
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async record(attempts) {
        await held.answer()
        await engine.deliveries.record(attempts)
      },
    })
    dispatching(made, { queue, concurrency: 1 })
    await expect.poll(() => receiver.received.length).toBe(9)
    held.open()
    await expect.poll(() => receiver.received.length).toBe(10)
  })

  it.each([
    ['its lease could be over before the attempt is', lease_ms - 15_000],
    ['the clock went back, so that it looks leased for too long', -3_600_000],
  ])('is given back where %s, and claimed again', async (_, passes_ms) => {
    const { made, receiver } = await subscribed()
    await pay(made)
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async claim(limit) {
        const claimed = await engine.deliveries.claim(limit)
        if (claimed.length > 0 && !made.logged.includes(too_slowly)) made.clock.pass(passes_ms)
        return claimed
      },
    })
    const dispatcher = dispatching(made, { queue })
    await dispatcher.drain()
    expect(made.logged).toContain(too_slowly)
    made.clock.pass(Math.max(0, -passes_ms))
    await dispatcher.drain()
    expect(receiver.received).toHaveLength(1)
    expect(await deliveriesOf(made, (await lastEvent(made)).id)).toMatchObject([{ attempt_count: 1 }])
  })
})

describe('a drain', () => {
  it('goes on after a claim of which nothing was sent', async () => {
    const { made, receiver } = await subscribed()
    await payTimes(made, 2)
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async claim(limit) {
        const claimed = await engine.deliveries.claim(limit)
        if (!made.logged.includes(too_slowly)) made.clock.pass(lease_ms - 15_000)
        return claimed
      },
    })
    await dispatching(made, { queue, concurrency: 1 }).drain()
    expect(made.logged).toContain(too_slowly)
    expect(receiver.received).toHaveLength(2)
  })

  it('does not end with a look at what is due that began before it', async () => {
    const { made, receiver } = await subscribed()
    const { store, clock } = made
    const [looked, asked] = [gate(), gate()]
    let [looks, claims, isHeld] = [0, 0, false]
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async claim(limit, own) {
        if (isHeld) claims += 1
        if (isHeld) await asked.answer()
        return engine.deliveries.claim(limit, own)
      },
      async nextDueAt() {
        const due_at = await engine.deliveries.nextDueAt()
        looks += 1
        await looked.answer()
        return due_at
      },
    })
    const dispatcher = dispatching(await service({ store, clock }), { queue, pollMs: 3_600_000 })
    // Twice where the store wakes it once it listens.
    await expect.poll(() => looks).toBeGreaterThan(0)
    isHeld = true
    await pay(made)
    const drained = dispatcher.drain().then(() => receiver.received.length)
    await expect.poll(() => claims).toBeGreaterThan(0)
    looked.open()
    await new Promise((resolve) => setImmediate(resolve))
    asked.open()
    expect(await drained).toBe(1)
  })
})

describe('what cannot be signed, because the secret of the engine was changed', () => {
  it('uses up no attempt, and does not hold up other endpoints', async () => {
    const receiver = await webReceiver()
    const before = await service()
    const { id: unreadable } = await register(before, receiver.url)
    const { store, clock, caller } = before
    const made = {
      ...(await service({ store, clock, secret: changed_secret })),
      caller,
    }
    const { id: readable } = await register(made, receiver.url)
    await payTimes(made, 12)
    await dispatching(made).drain()
    expect(receiver.received).toHaveLength(12)
    const deliveries = await deliveriesOf(made, (await lastEvent(made)).id)
    expect(new Map(deliveries.map(({ endpoint, ...delivery }) => [endpoint, delivery]))).toMatchObject(
      new Map<string, object>([
        [readable, { status: 'succeeded', attempt_count: 1 }],
        [unreadable, { status: 'pending', attempt_count: 0, last_error: null }],
      ]),
    )
    expect(made.logged).toContain('a webhook secret cannot be decrypted')
    expect(made.logged.filter((message) => message.startsWith('a webhook secret'))).toHaveLength(1)
  })

  it('does not keep a dispatcher that sends one at a time from the others', async () => {
    const receiver = await webReceiver()
    const before = await service()
    for (let count = 0; count < 4; count += 1) await register(before, receiver.url)
    const { store, clock, caller } = before
    const made = { ...(await service({ store, clock, secret: changed_secret })), caller }
    await register(made, receiver.url)
    await payTimes(made, 3)
    await dispatching(made, { concurrency: 1 }).drain()
    expect(receiver.received).toHaveLength(3)
  })

  it('is given back after a claim, which does not follow at once, for a process with the right secret', async () => {
    const { made: right, receiver } = await subscribed()
    const { store, clock } = right
    await payTimes(right, 12)
    const wrong = await service({ store, clock, secret: changed_secret })
    let claims = 0
    let given_back = 0
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      claim(limit, own) {
        claims += 1
        return engine.deliveries.claim(limit, own)
      },
      async release(leases) {
        await engine.deliveries.release(leases)
        given_back += leases.length
      },
      // Once a store listens, it wakes a dispatcher: this one claims when it is swept, and not again.
      onReady: () => () => {},
    })
    const pollMs = 1_234
    const sweep = holdTimers(clock, pollMs)
    const dispatcher = dispatching(wrong, { queue, pollMs })
    await dispatcher.drain()
    const without_waiting = claims
    clock.pass(5_000)
    sweep()
    await expect.poll(() => given_back).toBe(10)
    await dispatching(right, { pollMs: 3_600_000 }).drain()
    expect(receiver.received).toHaveLength(12)
    expect(claims).toBe(without_waiting + 1)
  })

  it('is given back when its dispatcher stops', async () => {
    const { made: right, receiver } = await subscribed()
    await pay(right)
    const { store, clock } = right
    await runOnce((await service({ store, clock, secret: changed_secret })).engine, { budgetMs: 60_000 })
    await runOnce(right.engine, { budgetMs: 60_000 })
    expect(receiver.received).toHaveLength(1)
  })
})

describe('a store that fails for a while', () => {
  it.each([5, 3_600_000])(
    'costs no delivery when claims fail, swept for every %i ms, and is logged once',
    async (pollMs) => {
      const { made, receiver } = await subscribed()
      await pay(made)
      const { queue, failed } = failing('claim', 3)
      const delays: number[] = []
      let [isResting, early] = [false, 0]
      const { after } = made.clock
      made.clock.after = (delay_ms, wake) => {
        if (![100, 200, 400, 800].includes(delay_ms)) return after(delay_ms, wake)
        delays.push(delay_ms)
        isResting = true
        return after(delay_ms, () => {
          isResting = false
          wake()
        })
      }
      const watched: OpenQueue = (engine) => {
        const own = queue(engine)
        return {
          ...own,
          claim(limit, asked) {
            if (isResting) early += 1
            return own.claim(limit, asked)
          },
        }
      }
      dispatching(made, { queue: watched, pollMs })
      await expect.poll(() => receiver.received.length).toBe(1)
      expect([failed(), early]).toEqual([3, 0])
      expect(delays).toEqual([100, 200, 400])
      expect(made.logged.filter((message) => message === 'claiming deliveries fails')).toHaveLength(1)
      expect(made.logged).toContain('claiming deliveries works again')
    },
  )

  it('does not make an attempt again whose recording failed at first', async () => {
    const { made, receiver } = await subscribed()
    await payTimes(made, 3)
    const { queue, failed } = failing('record', 2)
    await dispatching(made, { queue }).drain()
    expect(failed()).toBe(2)
    expect(receiver.received).toHaveLength(3)
    expect(await deliveriesOf(made, (await lastEvent(made)).id)).toMatchObject([
      { status: 'succeeded', attempt_count: 1 },
    ])
  })

  it('counts an attempt once whose recording was committed and not answered', async () => {
    const { made } = await subscribed(() => 500)
    await pay(made)
    let answers = 0
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async record(attempts) {
        await engine.deliveries.record(attempts)
        answers += 1
        if (answers === 1) throw new Error('the answer was lost')
      },
    })
    await dispatching(made, { queue }).drain()
    expect(answers).toBe(2)
    expect(await deliveriesOf(made, (await lastEvent(made)).id)).toMatchObject([
      { status: 'pending', attempt_count: 1 },
    ])
  })

  it('gives a recording up when the lease is over, and the attempt is made again', async () => {
    const { made, receiver } = await subscribed()
    await pay(made)
    const { queue, repair } = failing('record', Number.POSITIVE_INFINITY)
    // No sweep finds it.
    const dispatcher = dispatching(made, { queue, pollMs: 3_600_000 })
    await expect.poll(() => made.logged).toContain('recording attempts fails')
    made.clock.pass(lease_ms)
    await expect.poll(() => made.logged).toContain('attempts were not recorded and will be made again')
    repair()
    await expect.poll(() => receiver.received.length).toBeGreaterThan(1)
    await dispatcher.drain()
    expect(await deliveriesOf(made, (await lastEvent(made)).id)).toMatchObject([
      { status: 'succeeded', attempt_count: 1 },
    ])
  })

  it('has a recording given up when the lease is over, also one that waited behind another', async () => {
    const held = gate()
    const { made, receiver } = await subscribed(() => (receiver.received.length === 1 ? 200 : held.answer()))
    await payTimes(made, 2)
    const { queue } = failing('record', Number.POSITIVE_INFINITY)
    let unrecorded = 0
    let tries = 0
    const counting: OpenQueue = (engine) => {
      const failed = queue(engine)
      return {
        ...failed,
        claim(limit, own) {
          unrecorded = own?.ended?.length ?? 0
          return failed.claim(limit, own)
        },
        record(attempts) {
          tries += 1
          return failed.record(attempts)
        },
      }
    }
    dispatching(made, { queue: counting })
    // By the second try nobody waits for the first recording any more, and what ends joins it at once.
    await expect.poll(() => tries).toBeGreaterThan(1)
    held.open()
    await expect.poll(() => unrecorded).toBe(2)
    made.clock.pass(lease_ms)
    const given_up = () => made.logged.filter((message) => message.startsWith('attempts were not recorded'))
    await expect.poll(() => given_up().length).toBe(2)
    await made.engine.close()
  })

  it('has a recording given up at once, which is logged, where the engine was closed', async () => {
    const { made } = await subscribed()
    await pay(made)
    const { queue } = failing('record', Number.POSITIVE_INFINITY)
    const dispatcher = dispatching(made, { queue })
    await expect.poll(() => made.logged).toContain('recording attempts fails')
    await made.engine.close()
    await dispatcher.stop()
    expect(made.logged).toContain('attempts were not recorded and will be made again')
  })

  it('is told to who waits for a drain', async () => {
    const made = await service()
    const { queue } = failing('claim', Number.POSITIVE_INFINITY)
    const dispatcher = dispatching(made, { queue })
    await expect(dispatcher.drain()).rejects.toThrow('the store is away')
  })
})

describe('a request that cannot be made', () => {
  it('uses up no attempt, and is logged', async () => {
    const { made, receiver } = await subscribed()
    await pay(made)
    await dispatching({ ...made, engine: { ...made.engine, brand: 'not a\nheader' } }).drain()
    expect(receiver.received).toEqual([])
    expect(await deliveriesOf(made, (await lastEvent(made)).id)).toMatchObject([
      { status: 'pending', attempt_count: 0, last_error: null },
    ])
    expect(made.logged).toContain('a delivery could not be sent')
  })
})

describe('a sender of the host', () => {
  const answering = async (answer: unknown) => {
    const { made } = await subscribed()
    await pay(made)
    const sender = { send: async () => answer as AttemptOutcome, close: async () => {} }
    await dispatching(made, { sender }).drain()
    return { made, deliveries: await deliveriesOf(made, (await lastEvent(made)).id) }
  }

  it.each([
    ['nothing', undefined],
    ['a word', 'ok'],
    ['an object without fields', {}],
    ['no status', { error: null }],
    ['no error', { response_status: 200 }],
    ['a status that is a text', { response_status: '500', error: 'http 500' }],
    ['success without a response', { response_status: null, error: null }],
    ['success with a 500', { response_status: 500, error: null }],
  ])('uses up no attempt if it answers %s, which is logged', async (_, answer) => {
    const { made, deliveries } = await answering(answer)
    expect(deliveries).toMatchObject([{ status: 'pending', attempt_count: 0, last_error: null }])
    expect(made.logged).toContain('a delivery could not be sent')
  })

  it('may throw what has no words', async () => {
    const { made } = await subscribed()
    await pay(made)
    const sender = { send: () => Promise.reject(Object.create(null)), close: async () => {} }
    await dispatching(made, { sender }).drain()
    expect(made.logged).toContain('a delivery could not be sent')
  })

  it('may say what no database can store', async () => {
    const { deliveries } = await answering({ response_status: null, error: 'a\0b\ud800' })
    expect(deliveries).toMatchObject([{ status: 'pending', attempt_count: 1, last_error: 'ab\ufffd' }])
  })
})

describe('a queue of the host', () => {
  it('may fail with what has no words', async () => {
    const { made } = await subscribed()
    const claim = () => Promise.reject(Object.create(null))
    const dispatcher = dispatching(made, { queue: (engine) => ({ ...storeQueue(engine), claim }) })
    await expect(dispatcher.drain()).rejects.toBeDefined()
    expect(made.logged).toContain('claiming deliveries fails')
    await dispatcher.stop()
  })

  it('has failed if its claim answers nothing', async () => {
    const { made } = await subscribed()
    const queue: OpenQueue = (engine) => ({ ...storeQueue(engine), claim: async () => undefined as never })
    const dispatcher = dispatching(made, { queue })
    await expect(dispatcher.drain()).rejects.toThrow('The queue answers what its port does not know.')
    await dispatcher.stop()
  })
})

describe('`runOnce`, for cron jobs and serverless functions', () => {
  it('sends all that is due and returns', async () => {
    const { made, receiver } = await subscribed()
    await payTimes(made, 35)
    await runOnce(made.engine, { budgetMs: 60_000 })
    expect(receiver.received).toHaveLength(35)
    await runOnce(made.engine, { budgetMs: 60_000 })
    expect(receiver.received).toHaveLength(35)
  })

  it('claims nothing after its budget, and still records what is on the wire', async () => {
    const held = gate()
    const receiver = await webReceiver(held.answer)
    const made = await service()
    const budgetMs = 25_000
    let endBudget = () => {}
    const { after } = made.clock
    made.clock.after = (delay_ms, wake) => {
      if (delay_ms !== budgetMs) return after(delay_ms, wake)
      endBudget = wake
      return () => {}
    }
    await register(made, receiver.url)
    await payTimes(made, 30)
    let recorded = 0
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async record(attempts) {
        await engine.deliveries.record(attempts)
        recorded += attempts.length
      },
    })
    const ran = runOnce(made.engine, { budgetMs, concurrency: 6, queue })
    await expect.poll(() => receiver.running.length).toBe(6)
    endBudget()
    // A turn for what waits on the budget.
    await new Promise((resolve) => setImmediate(resolve))
    held.open()
    await ran
    expect([receiver.received.length, recorded]).toEqual([6, 6])
    await runOnce(made.engine, { budgetMs: 60_000 })
    expect(receiver.received).toHaveLength(30)
  })

  it('rejects where deliveries cannot be claimed', async () => {
    const { engine } = await service()
    const { queue } = failing('claim', Number.POSITIVE_INFINITY)
    await expect(runOnce(engine, { budgetMs: 60_000, queue })).rejects.toThrow('the store is away')
  })

  it('rejects where a claim fails after its budget is over', async () => {
    const { engine, clock } = await service()
    const budgetMs = 50_000
    const budgetIsOver = holdTimers(clock, budgetMs)
    const claiming = Promise.withResolvers<void>()
    const held = Promise.withResolvers<never>()
    const queue: OpenQueue = (of) => ({
      ...storeQueue(of),
      claim() {
        claiming.resolve()
        return held.promise
      },
    })
    const ran = runOnce(engine, { budgetMs, queue })
    await claiming.promise
    budgetIsOver()
    engine.clock.after(5, () => held.reject(new Error('the store is away')))
    await expect(ran).rejects.toThrow('the store is away')
  })
})

/** The store's queue, whose first calls of one kind come to a fault. */
function failing(call: 'claim' | 'record', faults: number) {
  let failed = 0
  let left = faults
  const fault = () => {
    if (left <= 0) return
    left -= 1
    failed += 1
    throw new Error('the store is away')
  }
  const queue: OpenQueue = (engine) => {
    const store = storeQueue(engine)
    return {
      ...store,
      async claim(limit) {
        if (call === 'claim') fault()
        return store.claim(limit)
      },
      async record(attempts) {
        if (call === 'record') fault()
        return store.record(attempts)
      },
    }
  }
  return {
    queue,
    failed: () => failed,
    repair: () => {
      left = 0
    },
  }
}
