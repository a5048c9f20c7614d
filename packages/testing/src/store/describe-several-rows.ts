import { uniqueColumns } from '@quittance/core'
import fc from 'fast-check'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import { claimRequest, delivery } from './claiming.ts'
import type { OpenStore } from './open-store.ts'
import { commit, eachOpened, find, here, rowsOf, seed, writing } from './opened.ts'
import { type AnyRow, anyRow, sampleRow, tableNames } from './sample-row.ts'

/** A store may lock and write several rows at once if a unit of work requests them without waiting in between. */
export function describeSeveralRows(open: OpenStore): void {
  describe('rows requested together', () => {
    const opened = eachOpened(open)

    it.each(tableNames)('of %s are each found and each written', async (name) => {
      const { store } = opened()
      let runs = 0
      const three = fc.array(anyRow(name), { minLength: 3, maxLength: 3 })
      await fc.assert(
        fc.asyncProperty(three, three, async (before, after) => {
          runs += 1
          const scope = { workspace: `workspace-${runs}`, livemode: runs % 2 === 0 }
          const rowOf = (drawn: object, index: number): AnyRow => {
            const plain = sampleRow(name, scope, `row ${runs} ${index}`)
            const own = ['workspace', 'livemode', 'id', ...uniqueColumns(name)]
            return { ...plain, ...drawn, ...Object.fromEntries(own.map((column) => [column, plain[column]])) }
          }
          const [first, second, third] = before.map(rowOf) as [AnyRow, AnyRow, AnyRow]
          const changed = after.map(rowOf)
          await seed(store, scope, rowsOf(name, [first, second, third]))
          await commit(store, scope, async (tx) => {
            const table = writing(tx, name)
            const ids = [third.id, first.id, 'none', second.id]
            expect(await Promise.all(ids.map((id) => table.lock(id)))).toEqual([
              third,
              first,
              undefined,
              second,
            ])
            await Promise.all(changed.map((row) => table.update(row)))
            expect(await table.get(second.id)).toEqual(changed[1])
          })
          for (const row of changed) expect(await find(store, scope, name, row.id)).toEqual(row)
        }),
        { numRuns: 10 },
      )
    })

    it('are separate copies, even of the same row', async () => {
      const { store } = opened()
      const row = sampleRow('payments', here, 'row', { metadata: { order: '1' } })
      await seed(store, here, [['payments', row]])
      await commit(store, here, async ({ payments }) => {
        const [first, second] = await Promise.all([payments.lock('row'), payments.lock('row')])
        if (first) first.metadata.order = '2'
        expect(second).toEqual(row)
      })
    })

    it('are not taken for one another where two tables have a row of the same id', async () => {
      const { store } = opened()
      const payment = sampleRow('payments', here, 'same', { amount: 100 })
      const refund = sampleRow('refunds', here, 'same', { amount: 30 })
      await seed(store, here, [
        ['payments', payment],
        ['refunds', refund],
      ])
      await commit(store, here, async ({ payments, refunds }) => {
        await Promise.all([payments.lock('same'), refunds.lock('same')])
        await refunds.update({ ...refund, amount: payment.amount })
        await payments.update({ ...payment, amount: refund.amount })
      })
      expect(await find(store, here, 'refunds', 'same')).toEqual({ ...refund, amount: 100 })
      expect(await find(store, here, 'payments', 'same')).toEqual({ ...payment, amount: 30 })
    })

    it('are not updated if one of them is missing, and its id is in the error', async () => {
      const { store } = opened()
      const there = sampleRow('payments', here, 'there')
      const missing = sampleRow('payments', here, 'missing')
      await seed(store, here, [['payments', there]])
      const write = commit(store, here, async ({ payments }) => {
        await Promise.all([there, missing].map((row) => payments.update({ ...row, description: 'other' })))
      })
      await expect(write).rejects.toThrow('missing')
      expect(await find(store, here, 'payments', 'there')).toEqual(there)
    })

    it('take effect in the order of the calls', async () => {
      const { store } = opened()
      const row = sampleRow('payments', here, 'row', { description: 'first' })
      const named = (description: string) => ({ ...row, description })
      await seed(store, here, [['payments', row]])
      await commit(store, here, async ({ payments }) => {
        const answers = await Promise.all([
          payments.lock('row'),
          payments.update(named('second')),
          payments.get('row'),
          payments.update(row),
          payments.get('row'),
          payments.delete('row'),
          payments.lock('row'),
          payments.insertNew(named('third')),
          payments.insertNew(named('fourth')),
          payments.get('row'),
          payments.update(named('fifth')),
          payments.update(named('third')),
        ])
        const none = undefined
        const expected = [
          row,
          none,
          named('second'),
          none,
          row,
          none,
          none,
          true,
          false,
          named('third'),
          none,
          none,
        ]
        expect(answers).toEqual(expected)
        await payments.update(named('third'))
      })
      expect(await find(store, here, 'payments', 'row')).toEqual(named('third'))
    })

    it('take effect in the order of the calls, pages and a final lease included', async () => {
      const { store } = opened()
      const filed = delivery(here, 'we', 'filed', { lease_until: null })
      await commit(store, here, async (tx) => {
        const page = () => tx.deliveries.page({ where: { endpoint: 'we' }, limit: 9 })
        const answers = await Promise.all([
          page(),
          tx.deliveries.insert(filed),
          page(),
          tx.deliveries.delete('filed'),
          page(),
          tx.deliveries.insertNew(filed),
          tx.leaseDeliveries({ ...claimRequest, ids: ['filed'] }),
        ])
        expect(answers).toEqual([[], undefined, [filed], undefined, [], true, true])
        expect(await tx.deliveries.get('filed')).toMatchObject({ lease: filed.lease + 1 })
      })
    })

    it('keep what the last of several updates wrote', async () => {
      const { store } = opened()
      const one = sampleRow('payments', here, 'one')
      const other = sampleRow('payments', here, 'other')
      await seed(store, here, rowsOf('payments', [one, other]))
      await commit(store, here, async ({ payments }) => {
        await Promise.all([payments.lock('one'), payments.lock('other')])
        const texts = ['first', 'second', 'third']
        await Promise.all(
          texts.flatMap((description) => [one, other].map((row) => payments.update({ ...row, description }))),
        )
      })
      for (const row of [one, other])
        expect(await find(store, here, 'payments', row.id)).toEqual({ ...row, description: 'third' })
    })
  })
}
