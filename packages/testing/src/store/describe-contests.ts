import { err, ok, type Scope, type TableName } from '@quittance/core'
import { expect } from 'vitest'
import { it } from '../suite.ts'
import { meeting } from './beside-another.ts'
import type { OpenedStore } from './open-store.ts'
import { commit, elsewhere, find, here, rowsOf, seed, unit, writing } from './opened.ts'
import { type AnyRow, sampleRow } from './sample-row.ts'

/** What only one of two rows can have. */
interface Contested {
  what: string
  table: TableName
  columns: Record<string, unknown>
  ids: readonly [string, string]
  scopes: readonly [Scope, Scope]
}

const ids = ['one', 'two'] as const
const scopes = [here, here] as const
const columns: readonly Contested[] = [
  { what: 'a unique value', table: 'customers', columns: { reference: 'contested' }, ids, scopes },
  { what: 'a unique pair', table: 'deliveries', columns: { endpoint: 'we', emit_of: 'event' }, ids, scopes },
  {
    what: 'a value unique in all scopes',
    table: 'api_keys',
    columns: { hash: 'contested' },
    ids,
    scopes: [here, elsewhere],
  },
]
const contested: readonly Contested[] = [
  { what: 'an id', table: 'customers', columns: {}, ids: ['one', 'one'], scopes },
  ...columns,
]

/** Two units that want the same unique value, one of them while the other has not ended. */
export function itSettlesContests(opened: () => OpenedStore): void {
  it.each(contested)('only one of two units that insert $what gets it', async (one) => {
    const { store } = opened()
    const { table, row, other } = rowsFor(one)
    await meeting(
      (meanwhile) =>
        commit(store, row, async (tx) => {
          await writing(tx, table).insert(row)
          await meanwhile()
        }),
      () => commit(store, other, async (tx) => writing(tx, table).insert(other)),
    )
    const [first, second] = [await find(store, row, table, row.id), await find(store, other, table, other.id)]
    const found = row.id === other.id ? [first] : [first, second]
    expect(found.filter(Boolean), 'of the two rows').toHaveLength(1)
  })

  it.each(columns)('only one of two rows gets $what by an update', async (one) => {
    const { store } = opened()
    const { table, row, other } = rowsFor(one)
    const plain = [row, other].map((of) => plainRow(table, of))
    for (const of of plain) await seed(store, of, rowsOf(table, [of]))
    await meeting(
      (meanwhile) =>
        commit(store, row, async (tx) => {
          await writing(tx, table).update(row)
          await meanwhile()
        }),
      () => commit(store, other, async (tx) => writing(tx, table).update(other)),
    )
    const kept = await Promise.all(plain.map((of) => find(store, of, table, of.id)))
    const wanted = Object.entries(one.columns)
    const holding = kept.filter((now) => wanted.every(([column, value]) => now?.[column] === value))
    expect(holding, 'of the two rows').toHaveLength(1)
  })

  const given_up = contested.flatMap((one) =>
    (one.what === 'an id' ? (['delete'] as const) : (['delete', 'update'] as const)).map((by) => ({
      ...one,
      by,
    })),
  )
  it.each(given_up)('a row whose $by is undone keeps $what from another unit', async (one) => {
    const { store } = opened()
    const { table, row, other } = rowsFor(one)
    await seed(store, row, rowsOf(table, [row]))
    const [, inserted] = await meeting(
      (meanwhile) =>
        unit(store, row, async (tx) => {
          if (one.by === 'delete') await writing(tx, table).delete(row.id)
          else await writing(tx, table).update(plainRow(table, row))
          await meanwhile()
          return err('undone')
        }),
      () => unit(store, other, async (tx) => ok(await writing(tx, table).insertNew(other))),
    )
    expect(inserted, 'what `insertNew` of the other unit says').toMatchObject({ value: ok(false) })
    expect(await find(store, row, table, row.id)).toEqual(row)
  })

  it.each(contested)('an `insert` that is undone leaves $what to another unit', async (one) => {
    const { store } = opened()
    const { table, row, other } = rowsFor(one)
    const [, inserted] = await meeting(
      (meanwhile) =>
        unit(store, row, async (tx) => {
          await writing(tx, table).insert(row)
          await meanwhile()
          return err('undone')
        }),
      () => unit(store, other, async (tx) => ok(await writing(tx, table).insertNew(other))),
    )
    expect(inserted, 'what `insertNew` of the other unit says').toMatchObject({ value: ok(true) })
    expect(await find(store, other, table, other.id)).toEqual(other)
  })
}

function rowsFor({ table, columns, ids, scopes }: Contested): {
  table: TableName
  row: AnyRow
  other: AnyRow
} {
  const [row, other] = [0, 1].map((index) => ({
    ...sampleRow(table, scopes[index] ?? here, ids[index] ?? ''),
    ...columns,
  }))
  if (row === undefined || other === undefined) throw new Error('two rows are contested')
  return { table, row, other }
}

/** A row with the same id, and with no unique value that others want. */
const plainRow = (table: TableName, { workspace, livemode, id }: AnyRow) =>
  sampleRow(table, { workspace, livemode }, id)
