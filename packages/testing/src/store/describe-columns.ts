import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OpenStore } from './open-store.ts'
import { commit, eachOpened, find, here, reading, seed, writing } from './opened.ts'
import { anyRow, sampleRow, tableNames } from './sample-row.ts'

export function describeColumns(open: OpenStore): void {
  describe('a row', () => {
    const opened = eachOpened(open)

    it.each(tableNames)('of %s comes back with every column as it was written', async (name) => {
      const { store } = opened()
      let runs = 0
      await fc.assert(
        fc.asyncProperty(anyRow(name, { workspace: '', livemode: false }, ''), async (drawn) => {
          runs += 1
          const scope = { workspace: `workspace-${runs}`, livemode: runs % 2 === 0 }
          const row = distinct({ ...drawn, ...scope, id: 'row' }, runs)
          await seed(store, scope, [[name, row]])
          expect(await find(store, scope, name, 'row')).toEqual(row)
          expect(
            await store.read(scope, (rows) => reading(rows, name).page({ where: {}, limit: 1 })),
          ).toEqual([row])
          await commit(store, scope, async (tx) => {
            expect(await writing(tx, name).lock('row')).toEqual(row)
          })
        }),
        { numRuns: 40 },
      )
    })

    it.each(tableNames)('of %s is replaced in every column by an update', async (name) => {
      const { store } = opened()
      let runs = 0
      const drawn = anyRow(name, { workspace: '', livemode: false }, '')
      await fc.assert(
        fc.asyncProperty(drawn, drawn, async (first, second) => {
          runs += 1
          const scope = { workspace: `workspace-${runs}`, livemode: false }
          await seed(store, scope, [[name, distinct({ ...first, ...scope, id: 'row' }, runs)]])
          const row = distinct({ ...second, ...scope, id: 'row' }, -runs)
          await commit(store, scope, async (tx) => {
            await writing(tx, name).lock('row')
            await writing(tx, name).update(row)
            expect(await writing(tx, name).get('row')).toEqual(row)
          })
          expect(await find(store, scope, name, 'row')).toEqual(row)
        }),
        { numRuns: 20 },
      )
    })

    it('keeps the longest texts there are, and the keys of an object in their order', async () => {
      const { store } = opened()
      const body = '{"data":"🧾 é"}'.padEnd(500_000, ' x')
      const metadata = { z: '1', A: '2', 'a key': '3', é: '4', b: '5' }
      await seed(store, here, [
        ['events', sampleRow('events', here, 'event', { body })],
        ['payments', sampleRow('payments', here, 'pay', { metadata })],
      ])
      expect((await find(store, here, 'events', 'event'))?.body === body).toBe(true)
      const found = await find(store, here, 'payments', 'pay')
      expect(JSON.stringify(found?.metadata)).toBe(JSON.stringify(metadata))
    })
  })
}

/** The one column that is unique over all scopes may not repeat between runs, nor become longer than a key. */
function distinct<Row extends object>(row: Row, run: number): Row {
  return 'hash' in row ? { ...row, hash: `${run} ${row.hash}`.slice(0, 500) } : row
}
