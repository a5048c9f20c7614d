import { type Reads, type Store, shifted, type TableName, tables } from '@quittance/core'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { commit, eachOpened, here, live, reading, rowsOf, seed, writing } from './opened.ts'
import {
  type AnyRow,
  at,
  columnsOf,
  differentValues,
  holdsObjects,
  sampleRow,
  tableNames,
} from './sample-row.ts'

/** Besides the declared filters, the columns by which the engine lists. */
const listedBy: { table: TableName; column: string }[] = tableNames.flatMap((table) => {
  const filters: readonly string[] = tables[table].filters
  const others = table === 'deliveries' ? ['endpoint', 'status'] : []
  return [...filters, ...others].map((column) => ({ table, column }))
})

const ids = ['0', '00', 'A', 'Z', 'Zz', '_', 'a', 'a-b', 'a0', 'aA', 'b', 'z~']

type Look = (rows: Reads) => Promise<void>

/** Where a page can be read: `show` puts the rows there, and has `look` read them from there. */
const places = [
  {
    place: 'in a read',
    async show(store: Store, rows: readonly AnyRow[], look: Look) {
      await seed(store, here, rowsOf('customers', rows))
      await store.read(here, look)
    },
  },
  {
    place: 'in a unit of work',
    async show(store: Store, rows: readonly AnyRow[], look: Look) {
      await seed(store, here, rowsOf('customers', rows))
      await commit(store, here, look)
    },
  },
  {
    place: 'in a unit of work that wrote and deleted some of the rows itself',
    async show(store: Store, rows: readonly AnyRow[], look: Look) {
      const committed = rows.filter((_, index) => index % 2 === 0)
      // Each is right above a committed row, which a limit must not lose.
      const deleted = ['AA', 'Zzz', 'bb'].map((id) => sampleRow('customers', here, id))
      await seed(store, here, rowsOf('customers', [...committed, ...deleted]))
      await commit(store, here, async (tx) => {
        for (const { id } of deleted) await tx.customers.delete(id)
        for (const row of rows) if (!committed.includes(row)) await writing(tx, 'customers').insert(row)
        await look(tx)
      })
    },
  },
]

export function describePages(open: OpenStore): void {
  describe('a page', () => {
    const opened = eachOpened(open)
    itIsOrdered(opened)
    itIsFiltered(opened)
    itCombines(opened)
  })
}

function itIsOrdered(opened: () => OpenedStore): void {
  const customers = ids.map((id, index) => aged(sampleRow('customers', here, id), index))
  const shuffled = [...customers.slice(5), ...customers.slice(0, 5)].reverse()

  it.each(places)('has the highest id first, in the order of bytes, $place', async ({ show }) => {
    await show(opened().store, shuffled, async (rows) => {
      const page = await rows.customers.page({ where: {}, limit: 100 })
      expect(page.map((row) => row.id)).toEqual([...ids].reverse())
    })
  })

  it.each(places)('has only ids below `after`, which need not exist, $place', async ({ show }) => {
    await show(opened().store, shuffled, async (rows) => {
      const page = async (after: string) =>
        (await rows.customers.page({ where: {}, after, limit: 100 })).map((row) => row.id)
      expect(await page('a')).toEqual(['_', 'Zz', 'Z', 'A', '00', '0'])
      expect(await page('Zzz')).toEqual(['Zz', 'Z', 'A', '00', '0'])
      expect(await page('z~~')).toEqual([...ids].reverse())
      expect(await page('0')).toEqual([])
    })
  })

  it.each(places)('has at most `limit` rows, those with the highest ids, $place', async ({ show }) => {
    await show(opened().store, shuffled, async (rows) => {
      const page = async (after: string | undefined, limit: number) =>
        (await rows.customers.page({ where: {}, after, limit })).map((row) => row.id)
      expect(await page('a', 3)).toEqual(['_', 'Zz', 'Z'])
      expect(await page('a!', 2)).toEqual(['a', '_'])
      expect(await page('z~~', 1)).toEqual(['z~'])
      expect(await page('z~', 1)).toEqual(['b'])
      expect(await page(undefined, 2)).toEqual(['z~', 'b'])
    })
  })

  it.each(places)(
    'continues after the last id of the one before, so that every row comes once, $place',
    async ({ show }) => {
      await show(opened().store, shuffled, async (rows) => {
        const seen: string[] = []
        for (let after: string | undefined; ; after = seen.at(-1)) {
          const page = await rows.customers.page({ where: {}, after, limit: 5 })
          seen.push(...page.map((row) => row.id))
          // A page that never ends is a failure, not a test that never ends.
          if (page.length < 5 || seen.length > ids.length) break
        }
        expect(seen).toEqual([...ids].reverse())
      })
    },
  )
}

function itIsFiltered(opened: () => OpenedStore): void {
  it.each(listedBy)('of $table has the rows that equal `where` in $column', async ({ table, column }) => {
    const { store } = opened()
    const schema = columnsOf(table)[column]
    const values = schema === undefined ? [] : differentValues(schema)
    const rows = ids.map((id, index) =>
      having(aged(sampleRow(table, here, id), index), column, values[index % values.length]),
    )
    await seed(store, here, rowsOf(table, rows))
    const others = rows.map((row) => ({ ...row, ...live }))
    await seed(store, live, rowsOf(table, others))
    await inBothPlaces(store, async (all, place) => {
      for (const value of values) {
        const expected = rows.filter((row) => row[column] === value).reverse()
        const where = { [column]: value }
        expect(await reading(all, table).page({ where, limit: 100 }), place).toEqual(expected)
        const after = expected[1]?.id
        const rest = await reading(all, table).page({ where, after, limit: 1 })
        expect(rest, `${place}, the next one`).toEqual(expected.slice(2, 3))
      }
    })
  })

  const unlistable = tableNames.filter((table) => 'listed' in columnsOf(table))
  it.each(unlistable)('of %s can be filtered by `listed`', async (table) => {
    const { store } = opened()
    const rows = ids.map((id, index) => having(sampleRow(table, here, id), 'listed', index % 3 !== 0))
    await seed(store, here, rowsOf(table, rows))
    await inBothPlaces(store, async (all, place) => {
      for (const listed of [true, false]) {
        const page = await reading(all, table).page({ where: { listed }, limit: 100 })
        expect(page, place).toEqual(rows.filter((row) => row.listed === listed).reverse())
      }
    })
  })
}

function itCombines(opened: () => OpenedStore): void {
  it('can be filtered by several columns at once, in a read or a unit of work', async () => {
    const { store } = opened()
    const rows = ids.map((id, index) =>
      sampleRow('payments', here, id, {
        customer: index % 2 === 0 ? 'ada' : 'bob',
        status: index % 3 === 1 ? 'failed' : 'succeeded',
        listed: index !== 6,
      }),
    )
    await seed(store, here, rowsOf('payments', rows))
    const where = { customer: 'ada', status: 'succeeded', listed: true } as const
    const matching = rows.filter((row) => row.customer === 'ada' && row.status === 'succeeded' && row.listed)
    const expected = matching.reverse()
    expect(expected.map(({ id }) => id)).toEqual(['a0', 'A', '0'])
    await inBothPlaces(store, async ({ payments }, place) => {
      expect(await payments.page({ where, limit: 9 }), place).toEqual(expected)
      const rest = await payments.page({ where, after: 'a0', limit: 1 })
      expect(rest, `${place}, the next one`).toEqual(expected.slice(1, 2))
    })
  })

  it.each(tableNames)('of %s can be filtered by any column that holds no object', async (table) => {
    const { store } = opened()
    const own = ['workspace', 'livemode', 'id']
    const columns = Object.entries(columnsOf(table)).filter(
      ([column, schema]) => !own.includes(column) && !holdsObjects(schema),
    )
    const rows = ['b', 'a'].map((id, index): AnyRow => {
      const values = columns.map(([column, schema]) => [column, differentValues(schema).at(-index)])
      return { ...sampleRow(table, here, id), ...Object.fromEntries(values) }
    })
    await seed(store, here, rowsOf(table, rows))
    await inBothPlaces(store, async (all, place) => {
      for (const [column] of columns)
        for (const row of rows) {
          const page = await reading(all, table).page({ where: { [column]: row[column] }, limit: 9 })
          expect(page, `by ${column} ${place}`).toEqual([row])
        }
    })
  })

  it('has each row once in a unit of work, as the unit has written it', async () => {
    const { store } = opened()
    const row = (id: string, status: 'processing' | 'succeeded') =>
      sampleRow('payments', here, id, { status, customer: 'ada' })
    const [first, second, changed] = [row('a', 'processing'), row('b', 'processing'), row('a', 'succeeded')]
    await seed(store, here, [
      ['payments', first],
      ['payments', second],
    ])
    await commit(store, here, async ({ payments }) => {
      await payments.update(changed)
      const page = (where: Partial<typeof first>) => payments.page({ where, limit: 9 })
      expect(await page({})).toEqual([second, changed])
      expect(await page({ customer: 'ada' })).toEqual([second, changed])
      expect(await page({ status: 'processing' })).toEqual([second])
      expect(await page({ status: 'succeeded' })).toEqual([changed])
    })
  })

  it('has an updated row under its new value only', async () => {
    const { store } = opened()
    const row = sampleRow('payments', here, 'pay', { status: 'processing', customer: 'ada' })
    await seed(store, here, [['payments', row]])
    await commit(store, here, async (tx) => writing(tx, 'payments').update({ ...row, status: 'succeeded' }))
    const ofStatus = (status: 'processing' | 'succeeded') =>
      store.read(here, async (rows) => (await rows.payments.page({ where: { status }, limit: 9 })).length)
    expect(await ofStatus('processing')).toBe(0)
    expect(await ofStatus('succeeded')).toBe(1)
    await commit(store, here, async (tx) => writing(tx, 'payments').update(row))
    expect(await ofStatus('processing')).toBe(1)
  })
}

/** Reads the same in a read and in a unit of work: a store may find rows in different ways there. */
async function inBothPlaces(
  store: Store,
  compare: (all: Reads, place: string) => Promise<void>,
): Promise<void> {
  await store.read(here, (all) => compare(all, 'in a read'))
  await commit(store, here, (tx) => compare(tx, 'in a unit of work'))
}

/** The higher its id, the older the row, as after a clock was set back: pages go by ids, not by time. */
function aged(row: AnyRow, index: number): AnyRow {
  return 'created_at' in row ? having(row, 'created_at', shifted(at, -index * 1_000)) : row
}

function having(row: AnyRow, column: string, value: unknown): AnyRow {
  return { ...row, [column]: value }
}
