import type { OpenQueue } from '@quittance/webhooks'
import { expect } from 'vitest'
import { describe, it, soon } from '../suite.ts'
import { eventsOf, finished, listenTo, openQueues, withEndpoint } from './queues.ts'

export function describeWaking(open: OpenQueue): void {
  describe('waking a dispatcher', () => {
    it('happens after deliveries were filed, when they can be claimed', async () => {
      const { queue, file } = await withEndpoint(open)
      const { wakes } = listenTo(queue)
      const filed = await file()
      await expect.poll(wakes, { ...soon, message: 'wake-ups after a delivery was filed' }).toBeGreaterThan(0)
      expect(eventsOf(await queue.claim(1))).toEqual(filed)
    })

    it('happens after the store hears of deliveries that another process has filed', async () => {
      const { queue, hearOfOthers } = await openQueues(open)
      const { wakes } = listenTo(queue)
      const before = wakes()
      hearOfOthers()
      await expect.poll(wakes, { ...soon, message: 'wake-ups by the store' }).toBeGreaterThan(before)
    })

    it('reaches every listener until it leaves', async () => {
      const { queue, file } = await withEndpoint(open)
      const [leaving, staying] = [listenTo(queue), listenTo(queue)]
      await file()
      await expect.poll(() => [leaving.wakes() > 0, staying.wakes() > 0], soon).toEqual([true, true])
      leaving.leave()
      const before = { leaving: leaving.wakes(), staying: staying.wakes() }
      await file()
      await expect.poll(staying.wakes, soon).toBeGreaterThan(before.staying)
      expect(leaving.wakes()).toBe(before.leaving)
    })

    it('may be missed: `nextDueAt` and the next claim find the delivery all the same', async () => {
      const { queue, another, file, now } = await withEndpoint(open)
      expect(await queue.nextDueAt()).toBe(null)
      const filed = await file(2)
      expect(await queue.nextDueAt(), 'where nothing was due before').toBe(now())
      const late = another()
      expect(await late.nextDueAt()).toBe(now())
      const [first] = await late.claim(1)
      expect(await late.nextDueAt()).toBe(now())
      if (first !== undefined) await late.record([finished(first, now())])
      expect(eventsOf(await late.claim(2))).toEqual(filed.slice(1))
    })

    it('relies on a `nextDueAt` that rejects while the store is away, instead of finding nothing due', async () => {
      const { queue, file, lose, bringBack, now } = await withEndpoint(open)
      await file()
      lose()
      await expect(queue.nextDueAt()).rejects.toThrow()
      bringBack()
      expect(await queue.nextDueAt()).toBe(now())
    })

    it('ends when the queue is closed, even for listeners that never left, and loses nothing that was filed', async () => {
      const { queue, beside, another, file } = await withEndpoint(open)
      const closed = listenTo(queue)
      // A queue that is still open shows when a late wake-up would have come.
      const still_open = listenTo(beside())
      await queue.close()
      await expect(queue.close(), 'closing it again').resolves.toBe(undefined)
      const before = { closed: closed.wakes(), still_open: still_open.wakes() }
      const filed = await file(3)
      await expect.poll(still_open.wakes, soon).toBeGreaterThan(before.still_open)
      expect(closed.wakes(), 'how often the closed queue called').toBe(before.closed)
      expect(eventsOf(await another().claim(5)).toSorted()).toEqual(filed)
    })
  })
}
