import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { look_ms } from '../src/dispatcher/wire.ts'
import {
  createSender,
  type OpenQueue,
  runOnce,
  type Sender,
  startDispatcher,
  storeQueue,
} from '../src/index.ts'
import {
  advance,
  dispatching,
  holdTimers,
  newCaller,
  pay,
  payTimes,
  register,
  service,
  subscribed,
} from './service.ts'
import { eventOf, gate, webReceiver } from './web-receiver.ts'

describe('deliveries to one workspace run in parallel, up to ten at a time', () => {
  it('reaches ten of a hundred and never eleven, and delivers each of them once', async () => {
    const held = gate()
    const { made, receiver } = await subscribed(held.answer)
    await payTimes(made, 100)
    dispatching(made, { concurrency: 50 })
    await expect.poll(() => receiver.running.length).toBe(10)
    expect(await made.engine.deliveries.claim(50)).toEqual([])
    held.open()
    await expect.poll(() => receiver.received.length).toBe(100)
    expect(new Set(receiver.received.map(eventOf)).size).toBe(100)
    expect(receiver.most).toBe(10)
  })

  it('lets a slow endpoint starve neither its workspace’s others nor another workspace’s', async () => {
    const held = gate()
    const [slow, fast, elsewhere] = [await webReceiver(held.answer), await webReceiver(), await webReceiver()]
    const made = await service()
    const other = { engine: made.engine, caller: await newCaller(made.engine) }
    await register(made, slow.url)
    await register(made, fast.url)
    await register(other, elsewhere.url)
    await payTimes(made, 30)
    await payTimes(other, 5)
    dispatching(made)
    await expect.poll(() => [fast.received.length, elsewhere.received.length]).toEqual([30, 5])
    expect(slow.most).toBeLessThanOrEqual(10)
    held.open()
    await expect.poll(() => slow.received.length).toBe(30)
  })

  it('goes on with other workspaces when receivers that hang have taken all slots', async () => {
    const held = gate()
    const [hanging, receiver] = [await webReceiver(held.answer), await webReceiver()]
    const made = await service()
    const other = { engine: made.engine, caller: await newCaller(made.engine) }
    await register(made, hanging.url)
    await register(other, receiver.url)
    await payTimes(made, 4)
    const look = holdTimers(made.clock, look_ms)
    dispatching(made, { concurrency: 4, pollMs: 3_600_000 })
    await expect.poll(() => hanging.running.length).toBe(4)
    await payTimes(other, 20)
    expect(receiver.received).toEqual([])
    look()
    expect(receiver.received).toEqual([])
    look()
    // Long before those are given up, after 15 s.
    await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(20)
    expect(hanging.running).toHaveLength(4)
    held.open()
  })

  it('keeps a place for an endpoint that had nothing to send when another one hung', async () => {
    const held = gate()
    const [slow, fast] = [await webReceiver(held.answer), await webReceiver()]
    const made = await service()
    await register(made, slow.url)
    await payTimes(made, 12)
    await register(made, fast.url)
    dispatching(made, { pollMs: 3_600_000 })
    await expect.poll(() => slow.running.length).toBe(9)
    for (let sent = 1; sent <= 3; sent += 1) {
      await pay(made)
      await expect.poll(() => fast.received.length).toBe(sent)
    }
    expect(slow.most).toBe(9)
    held.open()
    await expect.poll(() => slow.received.length).toBe(15)
  })

  it('goes on with an endpoint that answers while most of what is on the wire hangs', async () => {
    const held = gate()
    const hanging = [
      await webReceiver(held.answer),
      await webReceiver(held.answer),
      await webReceiver(held.answer),
    ]
    const fast = await webReceiver()
    const made = await service()
    for (const { url } of [...hanging, fast]) await register(made, url)
    await payTimes(made, 12)
    dispatching(made, { pollMs: 3_600_000 })
    await expect.poll(() => fast.received.length).toBe(12)
    held.open()
  })

  it('goes on while outcomes are being recorded, until eight times as many wait for that as may be on the wire', async () => {
    const held = gate()
    const { made, receiver } = await subscribed(() => (receiver.received.length === 1 ? held.answer() : 200))
    await payTimes(made, 100)
    const recorded = Promise.withResolvers<void>()
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      // What is leased ahead would wake it when it is given back.
      claim: (limit, { ended = [] } = {}) => engine.deliveries.claim(limit, { ended }),
      async record(attempts) {
        await recorded.promise
        await engine.deliveries.record(attempts)
      },
    })
    const own = createSender({ allowInsecureDestinations: true })
    onTestFinished(() => own.close())
    let ended = 0
    const send: typeof own.send = async (request) => {
      const outcome = await own.send(request)
      ended += 1
      return outcome
    }
    // What hangs would take no place any more.
    holdTimers(made.clock, look_ms)
    dispatching(made, { queue, sender: { ...own, send }, concurrency: 10, pollMs: 3_600_000 })
    await expect.poll(() => ended).toBe(89)
    // What ends at the same time is gathered for 2 ms: nothing else is on its way then that would wake it.
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(receiver.received).toHaveLength(90)
    recorded.resolve()
    // Before the one that hangs is given up, after 15 s, which would wake it too.
    await expect.poll(() => receiver.received.length, { timeout: 10_000 }).toBe(100)
    held.open()
  })

  // Whoever ended together was recorded together: the others waited for the places of all.
  it('goes on with other workspaces while the recording of one waits', async () => {
    const [waiting, receiver] = [await webReceiver(), await webReceiver()]
    const made = await service()
    const other = { engine: made.engine, caller: await newCaller(made.engine) }
    await register(made, waiting.url)
    await register(other, receiver.url)
    for (let pairs = 0; pairs < 4; pairs += 1) {
      await pay(made)
      await pay(other)
    }
    await payTimes(other, 16)
    const recorded = Promise.withResolvers<void>()
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async record(attempts) {
        const { id: workspace } = made.caller.workspace
        if (attempts.some(({ delivery }) => delivery.workspace === workspace)) await recorded.promise
        await engine.deliveries.record(attempts)
      },
    })
    dispatching(made, { queue, concurrency: 4, pollMs: 3_600_000 })
    await expect.poll(() => [waiting.received.length, receiver.received.length]).toEqual([4, 20])
    recorded.resolve()
  })

  it('holds over several dispatchers on one store, which never send a delivery at the same time', async () => {
    const held = gate()
    const receiver = await webReceiver(held.answer)
    const made = await service()
    const { store, clock } = made
    const others = [await service({ store, clock }), await service({ store, clock })]
    await register(made, receiver.url)
    await payTimes(made, 60)
    for (const process of [made, ...others]) dispatching(process, { concurrency: 8, pollMs: 20 })
    await expect.poll(() => receiver.running.length).toBe(10)
    expect(new Set(receiver.running).size).toBe(10)
    held.open()
    await expect.poll(() => receiver.received.length).toBe(60)
    expect(new Set(receiver.received.map(eventOf)).size).toBe(60)
    expect(receiver.most).toBe(10)
  })
})

describe('a dispatcher wakes', () => {
  it('by the commit that filed a delivery, not by a poll', async () => {
    const receiver = await webReceiver()
    const made = await service()
    const dispatcher = dispatching(made, { pollMs: 3_600_000 })
    await register(made, receiver.url)
    await dispatcher.drain()
    for (let sent = 1; sent <= 5; sent += 1) {
      await pay(made)
      await expect.poll(() => receiver.received.length).toBe(sent)
    }
  })

  it('not for an event that nobody subscribes to', async () => {
    const made = await service()
    let woken = 0
    made.engine.deliveries.onFiled(() => {
      woken += 1
    })
    await pay(made)
    expect(woken).toBe(0)
    await register(made, 'http://127.0.0.1:1')
    await pay(made)
    expect(woken).toBe(1)
  })

  it('by its sweep, for what another process filed', async () => {
    const receiver = await webReceiver()
    const made = await service()
    const { store, clock } = made
    dispatching(await service({ store, clock }), { pollMs: 20 })
    await register(made, receiver.url)
    await pay(made)
    await expect.poll(() => receiver.received.length).toBe(1)
  })

  it('by its sweep, for what falls due because another process moved the clock of the sandbox', async () => {
    const { made, receiver } = await subscribed(() => 500)
    await pay(made)
    const dispatcher = dispatching(made, { pollMs: 5 })
    await dispatcher.drain()
    expect(receiver.received).toHaveLength(1)
    const elsewhere = await service({ store: made.store, clock: made.clock })
    await advance(elsewhere, 3600)
    await expect.poll(() => receiver.received.length).toBeGreaterThan(1)
  })

  it('with no more deliveries in memory than it has slots', async () => {
    const held = gate()
    const { made, receiver } = await subscribed(held.answer)
    await payTimes(made, 9)
    holdTimers(made.clock, look_ms)
    dispatching(made, { concurrency: 3 })
    await expect.poll(() => receiver.running.length).toBe(3)
    await pay(made)
    await turns(20)
    expect(await made.engine.deliveries.claim(50)).toHaveLength(7)
    expect(receiver.most).toBe(3)
    held.open()
  })

  it('for the places of attempts that have ended, also where a claim runs ahead of their recording', async () => {
    const { made, receiver } = await subscribed()
    await payTimes(made, 15)
    // Nine of the workspace's ten are elsewhere, so that each recording makes room for one.
    expect(await made.engine.deliveries.claim(9)).toHaveLength(9)
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async record(attempts) {
        // As on a store that runs both on connections of their own.
        await turns(5)
        await engine.deliveries.record(attempts)
      },
    })
    dispatching(made, { queue, pollMs: 3_600_000 })
    await expect.poll(() => receiver.received.length).toBe(6)
  })

  it('for what is filed while the answer to a claim, which did not see it, is on its way', async () => {
    const { made, receiver } = await subscribed()
    const answered = gate()
    let seen = 0
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async claim(...asked) {
        const claimed = await engine.deliveries.claim(...asked)
        seen += 1
        await answered.answer()
        return claimed
      },
    })
    dispatching(made, { queue, pollMs: 3_600_000 })
    await expect.poll(() => seen).toBe(1)
    await pay(made)
    answered.open()
    await expect.poll(() => receiver.received.length).toBe(1)
  })

  it('for what falls due while it asks when that will be', async () => {
    const { made, receiver } = await subscribed(() => (receiver.received.length === 1 ? 500 : 200))
    await pay(made)
    const delays: number[] = []
    const { after } = made.clock
    made.clock.after = (delay_ms, wake) => {
      delays.push(delay_ms)
      return after(delay_ms, wake)
    }
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async nextDueAt() {
        const due_at = await engine.deliveries.nextDueAt()
        made.clock.pass(61_000)
        return due_at
      },
    })
    dispatching(made, { queue, pollMs: 3_600_000 })
    await expect.poll(() => receiver.received.length).toBe(2)
    // Node warns of a timer below zero.
    expect(Math.min(...delays)).toBe(0)
  })

  it('from one timer at a time', async () => {
    const receiver = await webReceiver()
    const made = await service()
    const pollMs = 3_600_000
    const { after } = made.clock
    let timers = 0
    made.clock.after = (delay_ms, wake) => {
      const cancel = after(delay_ms, wake)
      if (delay_ms !== pollMs) return cancel
      timers += 1
      return () => {
        timers -= 1
        cancel()
      }
    }
    const dispatcher = dispatching(made, { pollMs })
    await register(made, receiver.url)
    for (let sent = 0; sent < 5; sent += 1) {
      await pay(made)
      await dispatcher.drain()
    }
    expect(timers).toBe(1)
    await dispatcher.stop()
    expect(timers).toBe(0)
  })

  it('for one pass at a time, however often it is called', async () => {
    const { made, receiver } = await subscribed()
    let claiming = 0
    let most = 0
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async claim(limit) {
        claiming += 1
        most = Math.max(most, claiming)
        await turns(2)
        const claimed = await engine.deliveries.claim(limit)
        claiming -= 1
        return claimed
      },
    })
    const dispatcher = dispatching(made, { queue })
    await Promise.all([payTimes(made, 20), dispatcher.drain(), dispatcher.drain()])
    await dispatcher.drain()
    expect(receiver.received).toHaveLength(20)
    expect(most).toBe(1)
  })

  it('not again and again for what is due and under somebody else’s lease', async () => {
    const made = await service()
    await register(made, 'http://127.0.0.1:9/nobody')
    await pay(made)
    expect(await made.engine.deliveries.claim(1)).toHaveLength(1)
    const delays: number[] = []
    const { after } = made.clock
    made.clock.after = (delay_ms, wake) => {
      delays.push(delay_ms)
      return after(delay_ms, wake)
    }
    await dispatching(made, { pollMs: 3_600_000 }).drain()
    // The second after which a claim counts as slow, and the sleep; both once more where a store begins to listen meanwhile.
    expect([2, 4]).toContain(delays.length)
    expect(delays.slice(-2)).toEqual([1_000, 3_600_000])
  })

  it('refuses options that are none', async () => {
    const { engine } = await service()
    for (const concurrency of [0, -1, 1.5, Number.NaN])
      expect(() => startDispatcher(engine, { concurrency })).toThrow('concurrency')
    expect(() => startDispatcher(engine, { pollMs: 0 })).toThrow('pollMs')
    await expect(runOnce(engine, { budgetMs: Number.NaN })).rejects.toThrow('budgetMs')
  })
})

/** Turns of the event loop, in which everything that can happen without the network happens. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

// A tracer adds headers of the context that it finds: the `baggage` of one customer's request went to another's receiver.
it.each<[string, OpenQueue]>([
  ['leases', storeQueue],
  ['only files', (engine) => ({ ...storeQueue(engine), giveFiled: () => () => {} })],
])('what a commit %s is sent in the context that the dispatcher was started in', async (_how, queue) => {
  const context = new AsyncLocalStorage<string>()
  const { made, receiver } = await subscribed()
  const { send, close } = createSender({ allowInsecureDestinations: true })
  onTestFinished(close)
  const contexts: (string | undefined)[] = []
  const sender: Sender = {
    send(request) {
      contexts.push(context.getStore())
      return send(request)
    },
    close,
  }
  const dispatcher = context.run('the start', dispatching, made, { sender, queue })
  await dispatcher.drain()
  await Promise.all(Array.from({ length: 8 }, (_, index) => context.run(`request ${index}`, pay, made)))
  await expect.poll(() => receiver.received.length).toBe(8)
  expect(contexts).toEqual(Array.from({ length: 8 }, () => 'the start'))
})
