import { type TableName, tables } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { commit, eachOpened, here, live, reading, seed, writing } from './opened.ts'
import { type AnyRow, columnsOf, differentValues, sampleRow, tableNames } from './sample-row.ts'

/** Beside the declared filters, the columns the engine lists by. */
const listedBy: { table: TableName; column: string }[] = tableNames.flatMap((table) => {
  const filters: readonly string[] = tables[table].filters
  const others = table === 'deliveries' ? ['endpoint', 'status'] : []
  return [...filters, ...others].map((column) => ({ table, column }))
})

const ids = ['0', '00', 'A', 'Z', 'Zz', '_', 'a', 'a-b', 'a0', 'aA', 'b', 'z~']

export function describePages(open: OpenStore): void {
  describe('a page', () => {
    const opened = eachOpened(open)
    itIsOrdered(opened)
    itIsFiltered(opened)
    itCombines(opened)
  })
}

function itIsOrdered(opened: () => OpenedStore): void {
  it('has the highest id first, in the order of bytes', async () => {
    const { store } = opened()
    const shuffled = [...ids.slice(5), ...ids.slice(0, 5)].reverse()
    for (const id of shuffled) await seed(store, here, [['customers', sampleRow('customers', here, id)]])
    const page = await store.read(here, (rows) => rows.customers.page({ where: {}, limit: 100 }))
    expect(page.map((row) => row.id)).toEqual([...ids].reverse())
  })

  it('has only ids below `after`, which need not exist, and at most `limit` of them', async () => {
    const { store } = opened()
    await seed(
      store,
      here,
      ids.map((id) => ['customers', sampleRow('customers', here, id)]),
    )
    const page = (after: string | undefined, limit: number) =>
      store.read(here, async (rows) =>
        (await rows.customers.page({ where: {}, after, limit })).map((row) => row.id),
      )
    expect(await page('a', 3)).toEqual(['_', 'Zz', 'Z'])
    expect(await page('a!', 2)).toEqual(['a', '_'])
    expect(await page('z~~', 1)).toEqual(['z~'])
    expect(await page('0', 5)).toEqual([])
    expect(await page(undefined, 2)).toEqual(['z~', 'b'])
  })

  it('visits every row once when it is turned from the last id of each', async () => {
    const { store } = opened()
    await seed(
      store,
      here,
      ids.map((id) => ['customers', sampleRow('customers', here, id)]),
    )
    const seen: string[] = []
    for (let after: string | undefined; ; after = seen.at(-1)) {
      const page = await store.read(here, (rows) => rows.customers.page({ where: {}, after, limit: 5 }))
      seen.push(...page.map((row) => row.id))
      if (page.length < 5) break
    }
    expect(seen).toEqual([...ids].reverse())
  })
}

function itIsFiltered(opened: () => OpenedStore): void {
  it.each(listedBy)('of $table has the rows that equal `where` in $column', async ({ table, column }) => {
    const { store } = opened()
    const schema = columnsOf(table)[column]
    const values = schema === undefined ? [] : differentValues(schema)
    const rows = ids.map((id, index) =>
      having(sampleRow(table, here, id), column, values[index % values.length]),
    )
    await seed(
      store,
      here,
      rows.map((row) => [table, row]),
    )
    await seed(
      store,
      live,
      rows.map((row) => [table, { ...row, ...live }]),
    )
    for (const value of values) {
      const expected = rows.filter((row) => row[column] === value).reverse()
      const where = { [column]: value }
      expect(await store.read(here, (all) => reading(all, table).page({ where, limit: 100 }))).toEqual(
        expected,
      )
      const after = expected[1]?.id
      const rest = await store.read(here, (all) => reading(all, table).page({ where, after, limit: 1 }))
      expect(rest).toEqual(expected.slice(2, 3))
    }
  })

  const unlistable = tableNames.filter((table) => 'listed' in columnsOf(table))
  it.each(unlistable)('of %s may be asked for what is listed', async (table) => {
    const { store } = opened()
    const rows = ids.map((id, index) => having(sampleRow(table, here, id), 'listed', index % 3 !== 0))
    await seed(
      store,
      here,
      rows.map((row) => [table, row]),
    )
    for (const listed of [true, false]) {
      const page = await store.read(here, (all) =>
        reading(all, table).page({ where: { listed }, limit: 100 }),
      )
      expect(page).toEqual(rows.filter((row) => row.listed === listed).reverse())
    }
  })
}

function itCombines(opened: () => OpenedStore): void {
  it('may be asked for several columns at once, in or out of a transaction', async () => {
    const { store } = opened()
    const rows = ids.map((id, index) =>
      sampleRow('payments', here, id, {
        customer: index % 2 === 0 ? 'ada' : 'bob',
        status: index % 3 === 0 ? 'succeeded' : 'failed',
        listed: index !== 6,
      }),
    )
    await seed(
      store,
      here,
      rows.map((row) => ['payments', row]),
    )
    const where = { customer: 'ada', status: 'succeeded', listed: true } as const
    const expected = rows.filter((row) => row.customer === 'ada' && row.status === 'succeeded' && row.listed)
    expect(await store.read(here, (all) => all.payments.page({ where, limit: 9 }))).toEqual(
      expected.reverse(),
    )
    await commit(store, here, async (tx) => {
      expect(await tx.payments.page({ where, limit: 9 })).toEqual(expected)
    })
  })

  it('no longer has a row under a value that the row has left', async () => {
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

function having(row: AnyRow, column: string, value: unknown): AnyRow {
  return { ...row, [column]: value }
}
