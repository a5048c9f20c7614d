import { type TableName, tables, uniqueConstraints } from '@quittance/core'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { commit, eachOpened, find, here, reading, rowsOf, seed, writing } from './opened.ts'
import {
  columnsOf,
  equivalent_texts,
  inherited_texts,
  long_texts,
  matching_texts,
  sampleRow,
  similar_texts,
  tableNames,
} from './sample-row.ts'

const texts = [...similar_texts, ...equivalent_texts, ...inherited_texts, ...matching_texts, ...long_texts]

/** Every unique column except numbers. If two columns are unique together, the last one differs. */
const uniques: { table: TableName; column: string }[] = tableNames.flatMap((table) => {
  const last = uniqueConstraints(table).flatMap(({ columns }) => columns.slice(-1))
  return last.filter((column) => isText(table, column)).map((column) => ({ table, column }))
})

const filters = tableNames.flatMap((table) =>
  tables[table].filters.filter((column) => isText(table, column)).map((column) => ({ table, column })),
)

/** Texts are equal only if they are the same to the last character, whatever a database tends to ignore. */
export function describeEquality(open: OpenStore): void {
  describe('texts that are only similar', () => {
    const opened = eachOpened(open)
    itTellsIdsApart(opened)
    itTellsUniquesApart(opened)
    itTellsFiltersApart(opened)
  })
}

function itTellsIdsApart(opened: () => OpenedStore): void {
  it.each(tableNames)('are ids of different rows of %s', async (name) => {
    const { store } = opened()
    const rows = texts.map((id) => sampleRow(name, here, id))
    const [first, ...others] = rows
    if (first === undefined) return
    await seed(store, here, [[name, first]])
    await commit(store, here, async (tx) => {
      const table = writing(tx, name)
      for (const { id } of others) {
        expect([await table.get(id), await table.lock(id)], id).toEqual([undefined, undefined])
        await table.delete(id)
      }
      for (const row of others) expect(await table.insertNew(row), row.id).toBe(true)
      await table.delete(first.id)
    })
    for (const { id } of rows) {
      const expected = rows.find((row) => row.id === id && row !== first)
      expect(await find(store, here, name, id)).toEqual(expected)
    }
  })
}

function itTellsUniquesApart(opened: () => OpenedStore): void {
  it.each(uniques)('are different values of $column of $table', async ({ table, column }) => {
    const { store } = opened()
    const rows = texts.map((text, index) => ({
      ...sampleRow(table, here, `${index}`),
      [column]: text,
    }))
    await seed(store, here, rowsOf(table, rows))
    for (const row of rows) expect(await find(store, here, table, row.id)).toEqual(row)
  })
}

function itTellsFiltersApart(opened: () => OpenedStore): void {
  it.each(filters)('are each found alone by $column of $table', async ({ table, column }) => {
    const { store } = opened()
    const rows = texts.map((text, index) => ({ ...sampleRow(table, here, `${index}`), [column]: text }))
    await seed(store, here, rowsOf(table, rows))
    for (const row of rows) {
      const where = { [column]: row[column] }
      expect(await store.read(here, (all) => reading(all, table).page({ where, limit: 9 }))).toEqual([row])
    }
  })
}

function isText(table: TableName, column: string): boolean {
  const schema = columnsOf(table)[column]
  return (schema?.def.innerType ?? schema)?.def.type === 'string'
}
