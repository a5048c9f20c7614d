import { expect } from 'vitest'
import { it } from '../suite.ts'
import { claimRequest, minute, seedQueue } from './claiming.ts'
import type { OpenedStore } from './open-store.ts'
import { commit, everyRow, find, here, seed, withAnother } from './opened.ts'
import { sampleRow } from './sample-row.ts'

/** What a store has read is out of date once another process has changed it. */
export function itIsSeenByOthers(opened: () => OpenedStore): void {
  it('a claim returns the endpoint as another process has left it', async () => {
    await withAnother(opened(), async (store, another) => {
      await seedQueue(store, here, 'we', [0, 0])
      expect(await store.claimDeliveries({ ...claimRequest, limit: 1 })).toHaveLength(1)
      const url = 'https://moved.example/'
      const moved = sampleRow('webhook_endpoints', here, 'we', { listed: true, url })
      await commit(another, here, async (tx) => tx.webhook_endpoints.update(moved))
      const [claimed] = await store.claimDeliveries(claimRequest)
      expect(claimed?.endpoint).toEqual(moved)
    })
  })

  it('what was read before is found as another process has left it since', async () => {
    await withAnother(opened(), async (store, another) => {
      const look = async () => ({
        row: await find(another, here, 'payments', 'pay'),
        page: await everyRow(another, here, 'payments'),
        due: (await another.due({ at: minute(9), after: null, limit: 9 })).map(({ due_at }) => due_at),
        next: (await another.nextDue(null)).row,
        workspaces: await another.workspaces({ limit: 9 }),
      })
      const payment = (due_at: string) => sampleRow('payments', here, 'pay', { due_at })
      const nothing = { row: undefined, page: [], due: [], next: null, workspaces: [] }
      const as = (due_at: string) => {
        const row = payment(due_at)
        return { row, page: [row], due: [due_at], next: due_at, workspaces: [here.workspace] }
      }
      expect(await look()).toEqual(nothing)
      await seed(store, here, [
        ['workspaces', sampleRow('workspaces', here, here.workspace)],
        ['payments', payment(minute(1))],
      ])
      expect(await look()).toEqual(as(minute(1)))
      await commit(store, here, async (tx) => tx.payments.update(payment(minute(2))))
      expect(await look()).toEqual(as(minute(2)))
      await commit(store, here, async (tx) => {
        await tx.payments.delete('pay')
        await tx.workspaces.delete(here.workspace)
      })
      expect(await look()).toEqual(nothing)
    })
  })

  it('a claim takes what another process has filed', async () => {
    await withAnother(opened(), async (store, another) => {
      expect(await another.claimDeliveries(claimRequest)).toEqual([])
      expect((await another.nextDue(null)).delivery).toBeNull()
      await seedQueue(store, here, 'we', [0])
      expect((await another.nextDue(null)).delivery).toBe(minute(0))
      expect(await another.claimDeliveries(claimRequest)).toHaveLength(1)
    })
  })

  it('a read sees every transaction that has resolved in another process', async () => {
    await withAnother(opened(), async (store, another) => {
      const ids = Array.from({ length: 200 }, (_, index) => `c${index}`)
      const seen = ids.map(async (id) => {
        await seed(store, here, [['customers', sampleRow('customers', here, id)]])
        return (await find(another, here, 'customers', id))?.id
      })
      expect(await Promise.all(seen)).toEqual(ids)
    })
  })
}
