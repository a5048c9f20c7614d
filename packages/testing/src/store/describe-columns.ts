import fc from 'fast-check'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import type { OpenStore } from './open-store.ts'
import { commit, eachOpened, find, here, reading, seed, writing } from './opened.ts'
import { type AnyRow, anyRow, freeTexts, sampleRow, tableNames } from './sample-row.ts'

export function describeColumns(open: OpenStore): void {
  describe('a row', () => {
    const opened = eachOpened(open)

    it.each(tableNames)('of %s comes back with every column as it was written', async (name) => {
      const { store } = opened()
      let runs = 0
      await fc.assert(
        fc.asyncProperty(anyRow(name), async (drawn) => {
          runs += 1
          const scope = { workspace: `workspace-${runs}`, livemode: runs % 2 === 0 }
          const row = distinct({ ...drawn, ...scope, id: 'row' }, runs)
          await seed(store, scope, [[name, row]])
          const found = await find(store, scope, name, 'row')
          expect(found).toEqual(row)
          expect(objectsOf(found)).toEqual(objectsOf(row))
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
      const drawn = anyRow(name)
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

    const with_texts = tableNames.filter((name) => freeTexts(name).length > 0)
    it.each(with_texts)('of %s keeps long texts in any column', async (name) => {
      const { store } = opened()
      const columns = freeTexts(name)
      const long = columns.map((column) => [column, `${column} 🧾 é`.padEnd(200_000, ' x')])
      const row: AnyRow = { ...sampleRow(name, here, 'row'), ...Object.fromEntries(long) }
      await seed(store, here, [[name, row]])
      const found = await find(store, here, name, 'row')
      expect(columns.filter((column) => found?.[column] !== row[column])).toEqual([])
    })

    it('keeps the longest texts there are, and the keys of an object in their order', async () => {
      const { store } = opened()
      const body = '{"data":"🧾 é"}'.padEnd(500_000, ' x')
      const metadata = { z: '1', A: '2', 'a key': '3', é: '4', b: '5' }
      const failure = { return_code: null, message: 'm', decline_code: 'd', code: 'c' }
      const row = sampleRow('payments', here, 'pay', { metadata, failure })
      await seed(store, here, [
        ['events', sampleRow('events', here, 'event', { body })],
        ['payments', row],
      ])
      expect((await find(store, here, 'events', 'event'))?.body === body).toBe(true)
      expect(objectsOf(await find(store, here, 'payments', 'pay'))).toEqual(objectsOf(row))
    })
  })
}

/** As text, so that the order of keys shows. */
function objectsOf(row: AnyRow | undefined): Record<string, string> {
  const objects = Object.entries(row ?? {}).filter(([, value]) => typeof value === 'object')
  return Object.fromEntries(objects.map(([column, value]) => [column, JSON.stringify(value)]))
}

/** The one column that is unique across all scopes must not repeat between runs, or become longer than a key. */
function distinct<Row extends object>(row: Row, run: number): Row {
  return 'hash' in row ? { ...row, hash: `${run} ${row.hash}`.slice(0, 500) } : row
}
