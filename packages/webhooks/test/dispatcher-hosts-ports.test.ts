import { expect, it, vi } from 'vitest'
import { type DeliveryQueue, type OpenQueue, type Sender, startDispatcher, storeQueue } from '../src/index.ts'
import { deliveriesOf, dispatching, holdTimers, lastEvent, pay, service, subscribed } from './service.ts'

const queue_ms = 60_000
const sender_ms = 16_000

const forever = () => new Promise<never>(() => {})

/** The store's queue, but for what only JavaScript lets through. */
const queueWith =
  (odd: object): OpenQueue =>
  (engine) => ({ ...storeQueue(engine), ...odd })

/** Lets a limit pass, again and again, until the work is over. */
async function passing<Value>(pass: () => void, work: Promise<Value>): Promise<Value> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  work.then(end, end)
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    pass()
  }
  return work
}

it.each([
  ['claim', 'claiming deliveries fails'],
  ['record', 'recording attempts fails'],
])('a queue whose `%s` hangs has failed after a minute, and stops', async (call, message) => {
  const { made } = await subscribed()
  const endMinute = holdTimers(made.clock, queue_ms)
  const pass = () => {
    made.clock.pass(queue_ms)
    endMinute()
  }
  const hangs = vi.fn(forever)
  const dispatcher = startDispatcher(made.engine, {
    queue: queueWith({ giveFiled: () => () => {}, [call]: hangs }),
  })
  await pay(made)
  // A minute that passes before, while Postgres answers a claim, would be the end of that claim.
  await vi.waitFor(() => expect(hangs).toHaveBeenCalled(), 10_000)
  pass()
  await vi.waitFor(() => expect(made.logged).toContain(message), 10_000)
  await passing(pass, dispatcher.stop())
})

it('a queue that never closes holds up a stop for a minute', async () => {
  const made = await service()
  const endMinute = holdTimers(made.clock, queue_ms)
  const { stop } = startDispatcher(made.engine, { queue: queueWith({ close: forever }) })
  await expect(passing(endMinute, stop())).rejects.toThrow(
    '`close` of the queue has not answered within 60 s.',
  )
})

it('a sender that hangs makes no attempt, and a dispatcher that has one stops', async () => {
  const { made } = await subscribed()
  const giveUp = holdTimers(made.clock, sender_ms)
  const sender: Sender = { send: forever, close: async () => {} }
  const dispatcher = startDispatcher(made.engine, { sender })
  await pay(made)
  const failed = () => expect(made.logged).toContain('a delivery could not be sent')
  await passing(giveUp, vi.waitFor(failed, 10_000))
  await passing(giveUp, dispatcher.stop())
  expect(await deliveriesOf(made, (await lastEvent(made)).id)).toMatchObject([
    { status: 'pending', attempt_count: 0 },
  ])
})

it.each([
  ['nothing', [undefined]],
  ['null', [null]],
  ['what is no delivery', [{}]],
])('a claim that gives %s among its deliveries has failed', async (_, claimed) => {
  const made = await service()
  const dispatcher = dispatching(made, { queue: queueWith({ claim: async () => claimed }) })
  await expect(dispatcher.drain()).rejects.toThrow('The queue answers what its port does not know.')
  await dispatcher.stop()
})

it('a queue that gives nothing in the slots that it has booked holds up no stop', async () => {
  const made = await service()
  let booking: Parameters<DeliveryQueue['giveFiled']>[0] = () => null
  const giveFiled: DeliveryQueue['giveFiled'] = (book) => {
    booking = book
    return () => {}
  }
  const dispatcher = startDispatcher(made.engine, { queue: queueWith({ giveFiled }), pollMs: 3_600_000 })
  await dispatcher.drain()
  const slots = booking(1)
  const stopped = dispatcher.stop()
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  slots?.send([])
  await stopped
})

it.each([
  ['nothing', () => undefined, '`queue` opens a queue, which has `claim`.'],
  ['a promise', async () => {}, '`queue` opens a queue, which has `claim`.'],
  ['no `giveFiled`', queueWith({ giveFiled: undefined }), '`queue` opens a queue, which has `giveFiled`.'],
  ['no `close`', queueWith({ close: undefined }), '`queue` opens a queue, which has `close`.'],
  ['no end of `onReady`', queueWith({ onReady() {} }), '`onReady` of the queue gives a function'],
  ['no end of `giveFiled`', queueWith({ giveFiled() {} }), '`giveFiled` of the queue gives a function'],
])('a queue that opens with %s is refused at once', async (_, queue, message) => {
  const { engine } = await service()
  expect(() => startDispatcher(engine, { queue: queue as OpenQueue })).toThrow(message)
})
