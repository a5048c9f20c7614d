import { shifted } from '@quittance/core'
import type { OpenQueue } from '@quittance/webhooks'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import { bodyOf, eventsOf, finished, lease_ms, openQueues, withEndpoint } from './queues.ts'

export function describeTaking(open: OpenQueue): void {
  describe('a claim', () => {
    it.each([false, true])(
      'returns what is due, with all that an attempt needs (live: %s)',
      async (livemode) => {
        const { queue, real, to, workspace, file, told } = await withEndpoint(open, livemode)
        const [event = ''] = await file()
        const [claimed, ...others] = await queue.claim(5)
        expect(others).toEqual([])
        expect(claimed).toMatchObject({ workspace, livemode, event, endpoint: to, body: bodyOf(event) })
        expect(claimed).toMatchObject({ ...told(to), lease: 1 })
        expect(claimed?.lease_until).toBe(shifted(real(), lease_ms))
        expect(claimed?.secret).toMatch(/^whsec_[\w-]{43}$/)
      },
    )

    it('returns each delivery with the URL and the secret of its own endpoint, as they are now', async () => {
      const { queue, merchant } = await openQueues(open)
      const { endpoint, file, told, move } = await merchant()
      const all = [await endpoint(), await endpoint()]
      for (let times = 0; times < 2; times += 1) {
        for (const one of all) await file(one, 2)
        const claimed = await queue.claim(4)
        expect(claimed).toHaveLength(4)
        for (const { endpoint: to, url, secret } of claimed) expect({ url, secret }).toEqual(told(to))
        for (const one of all) await move(one)
      }
    })

    it('takes at most `limit` deliveries, and fewer only if nothing else can be taken', async () => {
      const { queue, file } = await withEndpoint(open)
      await file(7)
      expect(await queue.claim(3)).toHaveLength(3)
      expect(await queue.claim(3)).toHaveLength(3)
      expect(await queue.claim(3)).toHaveLength(1)
      expect(await queue.claim(3)).toEqual([])
    })

    it('takes as many as `limit` says, however few a broker hands out at a time', async () => {
      const { queue, merchant } = await openQueues(open)
      for (let merchants = 0; merchants < 12; merchants += 1) {
        const { endpoint, file } = await merchant()
        await file(await endpoint(), 10)
      }
      expect(await queue.claim(110)).toHaveLength(110)
      expect(await queue.claim(110)).toHaveLength(10)
    })

    it('takes deliveries `ahead` only as the request allows, and marks them', async () => {
      const { queue, another, to, workspace, file } = await withEndpoint(open)
      await file(15)
      const claimed = await queue.claim(2, {
        ahead: [{ workspace, livemode: false, endpoint: to, rounds: 3 }],
      })
      const ahead = claimed.filter((delivery) => delivery.ahead)
      expect(claimed.length - ahead.length).toBe(2)
      // A queue that decides itself what may be claimed may lease nothing ahead.
      expect([0, 6]).toContain(ahead.length)
      expect((await another().claim(20)).map((delivery) => delivery.ahead)).toEqual(
        Array(8 - ahead.length).fill(false),
      )
    })

    it('takes nothing ahead unless requested, so that others can take it at once', async () => {
      const { queue, another, file } = await withEndpoint(open)
      const other = another()
      const filed = await file(3)
      const taken = await queue.claim(1)
      const rest = await other.claim(5)
      expect([taken.length, rest.length]).toEqual([1, 2])
      expect(eventsOf([...taken, ...rest]).toSorted()).toEqual(filed)
    })

    it('never returns a delivery again while its lease lives, however many claims run at once', async () => {
      const { queue, another, merchant } = await openQueues(open)
      const queues = [queue, another(), another()]
      const filed: string[] = []
      for (let merchants = 0; merchants < 4; merchants += 1) {
        const { endpoint, file } = await merchant()
        filed.push(...(await file(await endpoint(), 8)))
      }
      const rounds = Array.from({ length: 5 }, () => queues.map((queue) => queue.claim(4))).flat()
      const claimed = eventsOf((await Promise.all(rounds)).flat())
      expect(claimed.toSorted()).toEqual(filed)
    })

    it('gives a workspace at most ten live leases, over all queues', async () => {
      const { queue, another, merchant, now } = await openQueues(open)
      const second = another()
      const [one, other] = [await merchant(), await merchant()]
      await one.file(await one.endpoint(), 15)
      await other.file(await other.endpoint(), 3)
      const claimed = (await Promise.all([queue.claim(20), second.claim(20)])).flat()
      const of_one = claimed.filter(({ workspace }) => workspace === one.workspace)
      expect([of_one.length, claimed.length]).toEqual([10, 13])
      await queue.record(of_one.slice(0, 2).map((delivery) => finished(delivery, now())))
      expect(await second.claim(20)).toHaveLength(2)
    })

    it('does not count the attempts in `ended`, even before their outcomes are recorded', async () => {
      const { queue, now, file } = await withEndpoint(open)
      await file(15)
      const running = await queue.claim(20)
      const ended = running.slice(0, 3)
      expect([running.length, await queue.claim(20)]).toEqual([10, []])
      const others = await queue.claim(20, { ended })
      expect(others).toHaveLength(3)
      expect(eventsOf(others).filter((event) => eventsOf(running).includes(event))).toEqual([])
      await queue.record(ended.map((delivery) => finished(delivery, now())))
      expect(await queue.claim(20, { ended })).toEqual([])
    })

    it('takes the endpoints of a workspace in turn, so that a flooded one starves no other', async () => {
      const { queue, merchant } = await openQueues(open)
      const { endpoint, file } = await merchant()
      const [flooded, small] = [await endpoint(), await endpoint()]
      await file(flooded, 30)
      await file(small, 4)
      const claimed = await queue.claim(10)
      expect(claimed.filter((delivery) => delivery.endpoint === small)).toHaveLength(4)
      expect(claimed.filter((delivery) => delivery.endpoint === flooded)).toHaveLength(6)
    })

    it('rejects while the store is away, instead of finding nothing due', async () => {
      const { queue, lose, bringBack, file } = await withEndpoint(open)
      const filed = await file()
      lose()
      await expect(async () => queue.claim(5)).rejects.toThrow()
      bringBack()
      expect(eventsOf(await queue.claim(5))).toEqual(filed)
    })

    it('returns what it takes to tell whether an endpoint has changed since', async () => {
      const { queue, merchant, unchanged, pass } = await openQueues(open)
      const { endpoint, file, move } = await merchant()
      const [moved, same] = [await endpoint(), await endpoint()]
      for (const one of [moved, same]) await file(one)
      const claimed = await queue.claim(2)
      expect(await unchanged(claimed)).toEqual(claimed)
      pass(1)
      await move(moved)
      expect((await unchanged(claimed)).map((delivery) => delivery.endpoint)).toEqual([same])
    })

    it('returns with `secret` null what this process cannot unseal', async () => {
      const { another, file } = await withEndpoint(open)
      const filed = await file()
      const claimed = await another('another secret than that of the others').claim(5)
      expect(eventsOf(claimed)).toEqual(filed)
      expect(claimed.map(({ secret }) => secret)).toEqual([null])
    })

    it('returns as `stopped` what a process that died had leased before the endpoint was disabled', async () => {
      const { queue, another, pass, to, file, disable } = await withEndpoint(open)
      const filed = await file()
      expect((await another().claim(5)).map(({ stopped }) => stopped)).toEqual([false])
      await disable(to)
      pass(lease_ms)
      const claimed = await queue.claim(5)
      expect(eventsOf(claimed)).toEqual(filed)
      expect(claimed.map(({ stopped }) => stopped)).toEqual([true])
      await queue.release(claimed)
      expect(await queue.nextDueAt()).toBe(null)
    })

    it('returns again what it took itself and never recorded, once the lease is over', async () => {
      const { queue, pass, file } = await withEndpoint(open)
      const filed = await file(2)
      for (const lease of [1, 2, 3]) {
        const claimed = await queue.claim(5)
        expect(eventsOf(claimed).toSorted()).toEqual(filed)
        expect(claimed.map((delivery) => delivery.lease)).toEqual([lease, lease])
        pass(lease_ms)
      }
    })

    it.each([
      ['killed', false],
      ['closed', true],
    ])(
      'returns again what a queue that was %s took and never recorded, once the lease is over',
      async (_, closed) => {
        const { queue, another, pass, file } = await withEndpoint(open)
        const filed = await file(2)
        const [lost] = await queue.claim(2)
        if (closed) await queue.close()
        const successor = another()
        pass(lease_ms - 1)
        expect(await successor.claim(5)).toEqual([])
        pass(1)
        const again = await successor.claim(5)
        expect(eventsOf(again).toSorted()).toEqual(filed)
        expect(again.map(({ lease }) => lease)).toEqual([2, 2])
        expect(again.map(({ body }) => body)).toContain(lost?.body)
      },
    )
  })
}
