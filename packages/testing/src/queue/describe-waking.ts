import type { OpenQueue } from '@quittance/webhooks'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import { eventsOf, finished, openQueues, soon, withEndpoint } from './merchants.ts'

export function describeWaking(open: OpenQueue): void {
  describe('waking a dispatcher', () => {
    it('happens after deliveries were filed, when they can be claimed', async () => {
      const { queue, file } = await withEndpoint(open)
      let woken = 0
      queue.onReady(() => {
        woken += 1
      })
      const filed = await file()
      await expect
        .poll(() => woken, { ...soon, message: 'wake-ups after a delivery was filed' })
        .toBeGreaterThan(0)
      expect(eventsOf(await queue.claim(1))).toEqual(filed)
    })

    it('happens after the store hears of deliveries that another process has filed', async () => {
      const { queue, hearOfOthers } = await openQueues(open)
      let woken = 0
      queue.onReady(() => {
        woken += 1
      })
      const before = woken
      hearOfOthers()
      await expect.poll(() => woken, { ...soon, message: 'wake-ups by the store' }).toBeGreaterThan(before)
    })

    it('reaches every listener until it leaves', async () => {
      const { queue, file } = await withEndpoint(open)
      let left = 0
      let stayed = 0
      const leave = queue.onReady(() => {
        left += 1
      })
      queue.onReady(() => {
        stayed += 1
      })
      await file()
      await expect.poll(() => [left > 0, stayed > 0], soon).toEqual([true, true])
      leave()
      const [left_at, stayed_at] = [left, stayed]
      await file()
      await expect.poll(() => stayed > stayed_at, soon).toBe(true)
      expect(left).toBe(left_at)
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
      let closed_wakes = 0
      let open_wakes = 0
      queue.onReady(() => {
        closed_wakes += 1
      })
      // A queue that is still open shows when a late wake-up would have come.
      beside().onReady(() => {
        open_wakes += 1
      })
      await queue.close()
      await expect(queue.close(), 'closing it again').resolves.toBe(undefined)
      const woken_before = { closed_wakes, open_wakes }
      const filed = await file(3)
      await expect.poll(() => open_wakes, soon).toBeGreaterThan(woken_before.open_wakes)
      expect(closed_wakes, 'how often the closed queue called').toBe(woken_before.closed_wakes)
      expect(eventsOf(await another().claim(5)).toSorted()).toEqual(filed)
    })
  })
}
