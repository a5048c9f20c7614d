import { type Engine, startReconciler } from '@quittance/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { look_ms } from '../src/dispatcher/wire.ts'
import { createSender, type OpenQueue, runOnce, startDispatcher, storeQueue } from '../src/index.ts'
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

describe('an engine that was closed', () => {
  it('gets neither a dispatcher nor a reconciler', async () => {
    const { engine } = await service()
    await engine.close()
    expect(() => startDispatcher(engine)).toThrow('The engine has been closed.')
    expect(() => startReconciler(engine)).toThrow('The engine has been closed.')
    await expect(runOnce(engine, { budgetMs: 1 })).rejects.toThrow('The engine has been closed.')
  })
})

describe('stopping', () => {
  it('waits for the attempts on the wire and records them; the rest is left to the next one', async () => {
    const held = gate()
    const { made, receiver } = await subscribed(held.answer)
    await payTimes(made, 25)
    holdTimers(made.clock, look_ms)
    const first = dispatching(made, { concurrency: 4 })
    await expect.poll(() => receiver.running.length).toBe(4)
    const stopped = first.stop()
    held.open()
    await stopped
    expect(receiver.received).toHaveLength(4)
    const attempted = receiver.received.map(eventOf)
    for (const id of attempted) expect(await deliveriesOf(made, id)).toMatchObject([{ status: 'succeeded' }])
    await dispatching(made).drain()
    expect(receiver.received).toHaveLength(25)
    expect(new Set(receiver.received.map(eventOf)).size).toBe(25)
  })

  it('gives back at once what turns out meanwhile to be nothing that can be sent', async () => {
    const { made } = await subscribed()
    await pay(made)
    const begun = Promise.withResolvers<void>()
    const sent = Promise.withResolvers<never>()
    const send = () => {
      begun.resolve()
      return sent.promise
    }
    const dispatcher = dispatching(made, { sender: { send, close: async () => {} } })
    await begun.promise
    const stopped = dispatcher.stop()
    sent.reject(new Error('a header that is none'))
    await stopped
    expect(await made.engine.deliveries.claim(1)).toHaveLength(1)
  })

  it('can be asked for twice, and ends a drain', async () => {
    const { made, receiver } = await subscribed()
    await pay(made)
    const dispatcher = dispatching(made)
    const drained = dispatcher.drain()
    await Promise.all([dispatcher.stop(), dispatcher.stop(), drained])
    await dispatcher.drain()
    await pay(made)
    await dispatching(made).drain()
    expect(receiver.received).toHaveLength(2)
  })

  it('comes to an end where the engine was closed before', async () => {
    const held = gate()
    const { made, receiver } = await subscribed(held.answer)
    await pay(made)
    const dispatcher = dispatching(made)
    await expect.poll(() => receiver.running.length).toBe(1)
    await made.engine.close()
    held.open()
    await dispatcher.stop()
    expect(receiver.received).toHaveLength(1)
  })

  it('leaves the test clock without its help', async () => {
    const made = await service()
    const receiver = await webReceiver()
    await register(made, receiver.url)
    let left = 0
    const engine: Engine = {
      ...made.engine,
      addWorker(worker) {
        const leave = made.engine.addWorker(worker)
        return () => {
          left += 1
          leave()
        }
      },
    }
    await dispatching({ engine }).stop()
    expect(left).toBe(1)
    await pay(made)
    await made.engine.testHelpers?.advanceClock(made.caller, { seconds: 60 })
    expect(receiver.received).toEqual([])
    expect(await deliveriesOf(made, (await lastEvent(made)).id)).toMatchObject([{ status: 'pending' }])
  })

  it('closes the queue and the sender it made, and their connections with it', async () => {
    const { made, receiver } = await subscribed()
    await pay(made)
    let closed = 0
    const queue: OpenQueue = (engine) => ({
      ...storeQueue(engine),
      async close() {
        closed += 1
      },
    })
    const dispatcher = dispatching(made, { queue })
    await dispatcher.drain()
    expect([receiver.connections, closed]).toEqual([1, 0])
    await dispatcher.stop()
    expect(closed).toBe(1)
    await expect.poll(() => receiver.connections).toBe(0)
  })

  it('leaves a sender open that the host gave', async () => {
    const { made, receiver } = await subscribed()
    await pay(made)
    const sender = createSender({ allowInsecureDestinations: true })
    onTestFinished(() => sender.close())
    const dispatcher = dispatching(made, { sender })
    await dispatcher.drain()
    await dispatcher.stop()
    const sent = await sender.send({ url: receiver.url, headers: {}, body: '{}' })
    expect(sent).toEqual({ response_status: 200, error: null })
  })
})
