import { shifted } from '@quittance/core'
import type { OpenQueue } from '@quittance/webhooks'
import { expect } from 'vitest'
import { minute_ms } from '../durations.ts'
import { describe, it } from '../suite.ts'
import { eventsOf, finished, lease_ms, openQueues, withEndpoint } from './queues.ts'

export function describeRecording(open: OpenQueue): void {
  describe('recording the outcomes of attempts', () => {
    it('ends a delivery that got a 2xx', async () => {
      const { queue, pass, now } = await withOneFiled(open)
      await queue.record((await queue.claim(1)).map((delivery) => finished(delivery, now())))
      expect(await queue.nextDueAt()).toBe(null)
      pass(365 * 24 * 60 * minute_ms)
      expect(await queue.claim(1)).toEqual([])
    })

    it('makes a failed delivery due again after its delay, counted from the end of the attempt', async () => {
      const { queue, pass, now, event } = await withOneFiled(open)
      const failed = await queue.claim(1)
      pass(700)
      const ended_at = now()
      await queue.record(failed.map((delivery) => finished(delivery, ended_at, 'timeout')))
      expect(await queue.nextDueAt()).toBe(shifted(ended_at, minute_ms))
      pass(minute_ms - 1)
      expect(await queue.claim(1)).toEqual([])
      pass(1)
      expect(eventsOf(await queue.claim(1))).toEqual([event])
    })

    it.each([null, 'timeout'])('keeps what the merchant sees of an attempt (error: %s)', async (error) => {
      const { queue, pass, now, event, shown } = await withOneFiled(open)
      const [claimed] = await queue.claim(1)
      const begun_at = now()
      pass(500)
      if (claimed) await queue.record([finished(claimed, now(), error)])
      pass(700)
      expect(await shown(event)).toMatchObject({
        status: error === null ? 'succeeded' : 'pending',
        attempt_count: 1,
        last_attempt_at: begun_at,
        last_response_status: error === null ? 200 : null,
        last_error: error,
      })
    })

    it('counts an attempt once, however often it is recorded', async () => {
      const { queue, pass, now } = await withOneFiled(open)
      const failed = (await queue.claim(1)).map((delivery) => finished(delivery, now(), 'http 503'))
      for (let times = 0; times < 3; times += 1) await queue.record(failed)
      expect(await queue.nextDueAt()).toBe(shifted(now(), minute_ms))
      pass(minute_ms)
      await queue.record((await queue.claim(1)).map((delivery) => finished(delivery, now(), 'http 503')))
      expect(await queue.nextDueAt()).toBe(shifted(now(), 5 * minute_ms))
      await queue.record(failed)
      expect(await queue.nextDueAt()).toBe(shifted(now(), 5 * minute_ms))
    })

    it('rejects while the store is away, and takes effect when it is repeated', async () => {
      const { queue, lose, bringBack, now, file } = await withOneFiled(open)
      await file(2)
      const done = (await queue.claim(3)).map((delivery) => finished(delivery, now()))
      lose()
      await expect(queue.record(done)).rejects.toThrow()
      bringBack()
      expect(await queue.nextDueAt()).not.toBe(null)
      await queue.record(done)
      expect(await queue.nextDueAt()).toBe(null)
    })

    it('changes nothing under a lease that has passed on', async () => {
      const { queue, another, pass, now } = await withOneFiled(open)
      const slept = await queue.claim(1)
      pass(lease_ms)
      const successor = another()
      const taken = await successor.claim(1)
      await queue.record(slept.map((delivery) => finished(delivery, now())))
      await successor.record(taken.map((delivery) => finished(delivery, now(), 'dns')))
      await queue.record(slept.map((delivery) => finished(delivery, now())))
      expect(await queue.nextDueAt()).toBe(shifted(now(), minute_ms))
    })

    it('accepts attempts of several workspaces at once, and an empty list', async () => {
      const { queue, merchant, now } = await openQueues(open)
      for (let merchants = 0; merchants < 3; merchants += 1) {
        const { endpoint, file } = await merchant()
        await file(await endpoint(), 2)
      }
      const claimed = await queue.claim(6)
      expect(claimed).toHaveLength(6)
      await queue.record([])
      await queue.record(claimed.map((delivery) => finished(delivery, now())))
      expect(await queue.nextDueAt()).toBe(null)
    })
  })
}

async function withOneFiled(open: OpenQueue) {
  const opened = await withEndpoint(open)
  const [event = ''] = await opened.file()
  return { ...opened, event }
}
