import { err, type Store } from '@quittance/core'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import { claim, endpointsOf, lease, minute, seedQueue } from './claiming.ts'
import type { OpenStore } from './open-store.ts'
import { commit, eachOpened, everyRow, find, here, live, rowsOf, seed, unit, withAnother } from './opened.ts'
import { sampleRow } from './sample-row.ts'

const customer = (id: string, reference: string, name: string) =>
  sampleRow('customers', here, id, { reference, name })
const payment = (id: string, due_at: string | null) => sampleRow('payments', here, id, { due_at })

/** However a store reopens its rows, from a log or from what was not written at once, it must find the same. */
export function describeLasting(open: OpenStore): void {
  describe('in a store opened after another one was closed', () => {
    const opened = eachOpened(open)

    it('everything is as the last unit left it, without what was deleted, replaced or undone', async () => {
      const { store } = opened()
      await seed(
        store,
        here,
        rowsOf('customers', [customer('kept', 'first', 'old'), customer('gone', 'second', 'old')]),
      )
      await seed(store, here, rowsOf('payments', [payment('later', minute(1)), payment('done', minute(2))]))
      await commit(store, here, async (tx) => {
        await tx.customers.update(customer('kept', 'third', 'new'))
        await tx.customers.delete('gone')
        await tx.payments.update(payment('later', minute(3)))
        await tx.payments.update(payment('done', null))
      })
      const undone = unit(store, here, async (tx) => {
        await tx.customers.delete('kept')
        await tx.customers.insert(customer('undone', 'fourth', 'never'))
        return err('refused')
      })
      expect((await undone).isErr()).toBe(true)
      await store.close()
      await withAnother(opened(), async (_closed, next) => {
        expect(await everyRow(next, here, 'customers')).toEqual([customer('kept', 'third', 'new')])
        expect(await next.due({ at: minute(9), after: null, limit: 9 })).toEqual([
          { table: 'payments', ...here, id: 'later', due_at: minute(3) },
        ])
        expect((await next.nextDue(null)).row).toBe(minute(3))
        await expectNames(next, { taken: ['third'], free: ['first', 'second', 'fourth'] })
        expect(await next.migrations.pending()).toEqual([])
      })
    })

    it('the leases of claims and units still live, and their fencing tokens go on', async () => {
      const { store } = opened()
      await seedQueue(store, here, 'we', [-2, -1])
      await seedQueue(store, live, 'we', [])
      const [first] = await claim(store, { limit: 1 })
      await commit(store, live, async (tx) => {
        expect(await lease(tx, live, ['filed'])).toBe(true)
      })
      await store.close()
      await withAnother(opened(), async (_closed, next) => {
        expect(await find(next, here, 'deliveries', 'we 00')).toEqual(first?.delivery)
        expect(await claim(next, { per_workspace: 2 }), 'two live leases, and two places').toEqual([])
        expect(endpointsOf(await claim(next))).toEqual({ we: 1 })
        const over = await claim(next, { real_at: minute(102), lease_until: minute(103), limit: 1 })
        expect(over.map(({ delivery: { id, lease: token } }) => [id, token])).toEqual([
          ['we 00', (first?.delivery.lease ?? 0) + 1],
        ])
      })
    })
  })
}

async function expectNames(store: Store, { taken, free }: Record<'taken' | 'free', string[]>): Promise<void> {
  await commit(store, here, async ({ customers }) => {
    for (const reference of [...taken, ...free])
      expect(await customers.insertNew(customer(`wants ${reference}`, reference, 'new')), reference).toBe(
        free.includes(reference),
      )
  })
}
