import type { OpenQueue } from '@quittance/webhooks'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import { eventsOf, finished, lease_ms, openQueues, withEndpoint } from './queues.ts'

export function describeReleasing(open: OpenQueue): void {
  describe('releasing what was not sent', () => {
    it('lets others take it at once, and does not count as an attempt', async () => {
      const { queue, another, file, shown } = await withEndpoint(open)
      const [event = ''] = await file()
      await queue.release(await queue.claim(1))
      expect(await shown(event)).toMatchObject({ status: 'pending', attempt_count: 0, last_attempt_at: null })
      const again = await another().claim(1)
      expect(eventsOf(again)).toEqual([event])
      expect(again.map(({ lease }) => lease)).toEqual([2])
    })

    it('frees the place that each had in its workspace', async () => {
      const { queue, file } = await withEndpoint(open)
      await file(15)
      const claimed = await queue.claim(20)
      await queue.release(claimed.slice(0, 3))
      expect(await queue.claim(20)).toHaveLength(3)
    })

    it('changes nothing under a lease that has passed on', async () => {
      const { queue, another, pass, file } = await withEndpoint(open)
      await file()
      const slept = await queue.claim(1)
      pass(lease_ms)
      expect(await another().claim(1)).toHaveLength(1)
      await queue.release(slept)
      expect(await queue.claim(1)).toEqual([])
    })

    it('changes nothing once an attempt is recorded', async () => {
      const { queue, now, pass, file, shown } = await withEndpoint(open)
      const [event = ''] = await file()
      const claimed = await queue.claim(1)
      await queue.record(claimed.map((delivery) => finished(delivery, now())))
      const recorded = await shown(event)
      await queue.release(claimed)
      pass(lease_ms)
      expect(await shown(event)).toEqual(recorded)
      expect(await queue.claim(1)).toEqual([])
    })

    it('cancels a delivery whose endpoint was disabled meanwhile', async () => {
      const { queue, to, file, shown, disable } = await withEndpoint(open)
      const [event = ''] = await file()
      const claimed = await queue.claim(1)
      await disable(to)
      expect(await shown(event), 'it might have been sent').toMatchObject({ status: 'pending' })
      await queue.release(claimed)
      expect(await shown(event)).toMatchObject({ status: 'canceled', attempt_count: 0 })
      expect(await queue.nextDueAt()).toBe(null)
    })

    it('accepts leases of several workspaces at once, and an empty list', async () => {
      const { queue, merchant } = await openQueues(open)
      for (let merchants = 0; merchants < 3; merchants += 1) {
        const { endpoint, file } = await merchant()
        await file(await endpoint(), 2)
      }
      await queue.release([])
      await queue.release(await queue.claim(6))
      expect(await queue.claim(6)).toHaveLength(6)
    })

    it('rejects while the store is away, and takes effect when it is repeated', async () => {
      const { queue, lose, bringBack, file } = await withEndpoint(open)
      const filed = await file(2)
      const claimed = await queue.claim(2)
      lose()
      await expect(queue.release(claimed)).rejects.toThrow()
      bringBack()
      expect(await queue.claim(2)).toEqual([])
      await queue.release(claimed)
      expect(eventsOf(await queue.claim(2)).toSorted()).toEqual(filed)
    })
  })
}
