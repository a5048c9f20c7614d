import { describe, expect, it } from 'vitest'
import { freePort } from '../../../tests/free-port.ts'
import { advance, deliveriesOf, dispatching, lastEvent, pay, register, service } from './service.ts'
import { webReceiver } from './web-receiver.ts'

const [minute_s, hour_s] = [60, 3_600]

/** Retries and ordering: 1 minute, 5 minutes, 30 minutes, 2 hours, 6 hours, 12 hours and 24 hours. */
const schedule_s = [
  ...[1 * minute_s, 5 * minute_s, 30 * minute_s],
  ...[2 * hour_s, 6 * hour_s, 12 * hour_s, 24 * hour_s],
]

describe('a delivery with no 2xx is retried', () => {
  it('after 1 and 5 and 30 minutes, 2, 6, 12 and 24 hours; after the eighth attempt it is exhausted', async () => {
    const { made, sent_at, event } = await failing(() => 503)
    await advance(made, 3 * 24 * hour_s - 1)
    const distances = sent_at.slice(1).map((at, index) => (at - (sent_at[index] ?? 0)) / 1000)
    expect(distances).toEqual(schedule_s)
    expect(await deliveriesOf(made, event.id)).toMatchObject([
      { status: 'exhausted', attempt_count: 8, next_attempt_at: null, last_error: 'http 503' },
    ])
  })

  it('never earlier: one second before each time nothing is sent', async () => {
    const { made, sent_at } = await failing(() => 500)
    for (const [index, delay_s] of schedule_s.entries()) {
      await advance(made, delay_s - 1)
      expect(sent_at).toHaveLength(index + 1)
      await advance(made, 1)
      expect(sent_at).toHaveLength(index + 2)
    }
  })

  it.each([1, 2, 3, 5, 8])('until it succeeds, on attempt %i', async (attempt) => {
    let made_attempts = 0
    const { made, sent_at, event } = await failing(() => {
      made_attempts += 1
      return made_attempts < attempt ? 500 : 204
    })
    await advance(made, 10 * 24 * hour_s)
    expect(sent_at).toHaveLength(attempt)
    expect(await deliveriesOf(made, event.id)).toMatchObject([
      { status: 'succeeded', attempt_count: attempt, last_response_status: 204, last_error: null },
    ])
  })

  it('counted from the end of the failed attempt', async () => {
    const { made, receiver, sent_at } = await failing(() => 200)
    receiver.answer = () => {
      made.clock.pass(9_000)
      return 500
    }
    await pay(made)
    await advance(made, 0)
    const { id } = await lastEvent(made)
    const [delivery] = await deliveriesOf(made, id)
    expect(delivery?.next_attempt_at).toBe(new Date(made.clock.now() + 60_000).toISOString())
    expect(delivery?.last_attempt_at).toBe(new Date(made.clock.now() - 9_000).toISOString())
    expect(sent_at).toHaveLength(1)
  })

  it('when the receiver is down and comes up again', async () => {
    const made = await service()
    const dispatcher = dispatching(made)
    // A port that was free a moment ago, and on which nobody listens.
    const gone = await freePort()
    await register(made, `http://127.0.0.1:${gone}/hook`)
    await pay(made)
    await dispatcher.drain()
    const { id } = await lastEvent(made)
    expect(await deliveriesOf(made, id)).toMatchObject([
      { status: 'pending', attempt_count: 1, last_response_status: null, last_error: 'connection refused' },
    ])
    const back = await webReceiver(() => 200, gone)
    await advance(made, 60)
    expect(back.received).toHaveLength(1)
    expect(await deliveriesOf(made, id)).toMatchObject([{ status: 'succeeded', attempt_count: 2 }])
  })

  it('on time, without a poll, also where the sandbox’s clock was moved before', async () => {
    const delays: number[] = []
    const made = await service()
    await advance(made, 2 * hour_s)
    const { clock } = made
    const { after } = clock
    clock.after = (delay_ms, wake) => {
      delays.push(delay_ms)
      return after(delay_ms, wake)
    }
    const answers = [500]
    const receiver = await webReceiver(() => answers.shift() ?? 200)
    const dispatcher = dispatching(made, { pollMs: 3_600_000 })
    await register(made, receiver.url)
    await pay(made)
    await dispatcher.drain()
    clock.pass(59_990)
    await dispatcher.drain()
    await expect.poll(() => delays).toContain(10)
    expect(receiver.received).toHaveLength(1)
    clock.pass(10)
    await expect.poll(() => receiver.received.length).toBe(2)
  })
})

/** One payment's event, sent for the first time; `sent_at` in engine time. */
async function failing(answer: () => number) {
  const made = await service()
  const sent_at: number[] = []
  const receiver = await webReceiver(() => {
    sent_at.push(made.engine.clock.now())
    return answer()
  })
  const dispatcher = dispatching(made)
  await register(made, receiver.url)
  await pay(made)
  await dispatcher.drain()
  return { made, receiver, sent_at, event: await lastEvent(made) }
}
