import { type LeasedDelivery, shifted } from '@quittance/core'
import type { OpenQueue } from '@quittance/webhooks'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import { bodyOf, eventsOf, lease_ms, withEndpoint } from './queues.ts'

/** A queue need not give anything: then all that is filed has to be claimed. */
export function describeGiving(open: OpenQueue): void {
  describe('what is filed while a dispatcher has room', () => {
    it('comes once and leased, either to that dispatcher or to a claim', async () => {
      const { queue, file, given, real } = await withDispatcher(open, 3)
      const filed = await file(5)
      const got = [...given, ...(await queue.claim(10))]
      expect(eventsOf(got).toSorted()).toEqual(filed)
      for (const { event, lease, lease_until, body } of got)
        expect([lease, lease_until, body]).toEqual([1, shifted(real(), lease_ms), bodyOf(event)])
      expect(given.length).toBeLessThanOrEqual(3)
    })

    it('is given to it only as far as it has room, even if one commit files several', async () => {
      const { queue, another, merchant, given, free } = await withDispatcher(open, 2)
      const { endpoint, announce } = await merchant()
      for (let endpoints = 0; endpoints < 3; endpoints += 1) await endpoint()
      await announce()
      expect(given.length + free(), 'slots that are in use, and those that are free').toBe(2)
      expect([...given, ...(await queue.claim(5)), ...(await another().claim(5))]).toHaveLength(3)
    })

    it('has at most ten live leases per workspace, including those of claims', async () => {
      const { queue, file, given, free } = await withDispatcher(open, 100)
      await file(12)
      expect(given.length + free(), 'slots that are in use, and those that are free').toBe(100)
      expect([...given, ...(await queue.claim(20))]).toHaveLength(10)
      expect(await queue.claim(20)).toEqual([])
    })

    it.each(['left', 'closed'])('has to be claimed once the dispatcher has %s', async (how) => {
      const { queue, another, file, given, leave } = await withDispatcher(open, 100)
      if (how === 'left') leave()
      else await queue.close()
      const filed = await file(2)
      expect(given).toEqual([])
      expect(eventsOf(await another().claim(5)).toSorted()).toEqual(filed)
    })
  })
}

/** A dispatcher that never ends an attempt. */
async function withDispatcher(open: OpenQueue, slots: number) {
  const opened = await withEndpoint(open)
  const given: LeasedDelivery[] = []
  let free = slots
  const leave = opened.queue.giveFiled((count) => {
    if (free < count) return null
    free -= count
    const release = () => {
      free += count
    }
    return { send: (deliveries) => given.push(...deliveries), release }
  })
  return { ...opened, given, free: () => free, leave }
}
