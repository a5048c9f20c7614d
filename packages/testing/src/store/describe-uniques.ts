import { type Scope, type Store, type TableName, uniqueConstraints } from '@quittance/core'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { commit, eachOpened, elsewhere, find, here, live, rowsOf, seed, writing } from './opened.ts'
import { type AnyRow, isNullable, sampleRow, tableNames, takenValue } from './sample-row.ts'

interface Constraint {
  table: TableName
  columns: readonly string[]
}

const constraints = tableNames.flatMap((table) => uniqueConstraints(table).map((one) => ({ table, ...one })))
const scoped = constraints.filter(({ over }) => over === 'scope')
const global = constraints.filter(({ over }) => over === 'all')

export function describeUniques(open: OpenStore): void {
  describe('a unique constraint', () => {
    const opened = eachOpened(open)
    itHolds(opened)
    itLetsPass(opened)
  })
}

function itHolds(opened: () => OpenedStore): void {
  it.each(tableNames)('holds for the ids of %s', async (name) => {
    const { store } = opened()
    const first = sampleRow(name, here, 'same')
    await seed(store, here, [[name, first]])
    const second = Object.assign(sampleRow(name, here, 'other'), { id: 'same' })
    await expectTaken(store, name, second)
    expect(await find(store, here, name, 'same')).toEqual(first)
  })

  it.each(constraints)('holds for $columns of $table', async (constraint) => {
    const { store } = opened()
    const { table } = constraint
    await seed(store, here, [[table, taking(constraint, here, 'first')]])
    await expectTaken(store, table, taking(constraint, here, 'second'))
    const free = sampleRow(table, here, 'free')
    await seed(store, here, [[table, free]])
    const changed = taking(constraint, here, 'free')
    await expect(commit(store, here, async (tx) => writing(tx, table).update(changed))).rejects.toThrow()
    expect(await find(store, here, table, 'free')).toEqual(free)
  })

  it.each(constraints)('holds inside one transaction for $columns of $table', async (constraint) => {
    const { store } = opened()
    await commit(store, here, async (tx) => {
      const table = writing(tx, constraint.table)
      expect(await table.insertNew(taking(constraint, here, 'first'))).toBe(true)
      expect(await table.insertNew(taking(constraint, here, 'second'))).toBe(false)
      await table.delete('first')
      expect(await table.insertNew(taking(constraint, here, 'third'))).toBe(true)
      await table.update(sampleRow(constraint.table, here, 'third'))
      expect(await table.insertNew(taking(constraint, here, 'fourth'))).toBe(true)
    })
    expect(await find(store, here, constraint.table, 'second')).toBeUndefined()
    await expectTaken(store, constraint.table, taking(constraint, here, 'fifth'))
  })
}

function itLetsPass(opened: () => OpenedStore): void {
  it.each(constraints)('lets $columns of $table pass from row to row', async (constraint) => {
    const { store } = opened()
    const { table } = constraint
    const plain = (id: string) => sampleRow(table, here, id)
    await seed(store, here, [
      [table, taking(constraint, here, 'giver')],
      [table, plain('taker')],
    ])
    await commit(store, here, async (tx) => {
      await writing(tx, table).update(plain('taker'))
      await writing(tx, table).update(plain('giver'))
      await writing(tx, table).update(taking(constraint, here, 'taker'))
    })
    await expectTaken(store, table, taking(constraint, here, 'third'))
    expect(await find(store, here, table, 'taker')).toEqual(taking(constraint, here, 'taker'))
  })

  it.each(constraints)(
    'lets $columns of $table pass from row to row while both are written',
    async (constraint) => {
      const { store } = opened()
      const { table } = constraint
      const [giver, taker] = [taking(constraint, here, 'row 2'), sampleRow(table, here, 'row 1')]
      await seed(store, here, rowsOf(table, [giver, taker]))
      await commit(store, here, async (tx) => {
        const rows = writing(tx, table)
        await Promise.all([rows.lock('row 2'), rows.lock('row 1')])
        const given = [sampleRow(table, here, 'row 2'), taking(constraint, here, 'row 1')]
        await Promise.all(given.map((row) => rows.update(row)))
      })
      await expectTaken(store, table, taking(constraint, here, 'row 3'))
      expect(await find(store, here, table, 'row 1')).toEqual(taking(constraint, here, 'row 1'))
    },
  )

  it.each(constraints)(
    'lets $columns of $table be taken again once their row is changed or deleted',
    async (constraint) => {
      const { store } = opened()
      const { table } = constraint
      await seed(store, here, [[table, taking(constraint, here, 'first')]])
      await commit(store, here, async (tx) => writing(tx, table).update(sampleRow(table, here, 'first')))
      await seed(store, here, [[table, taking(constraint, here, 'second')]])
      await commit(store, here, async (tx) => writing(tx, table).delete('second'))
      await commit(store, here, async (tx) => {
        expect(await writing(tx, table).insertNew(taking(constraint, here, 'third'))).toBe(true)
      })
      await expectTaken(store, table, taking(constraint, here, 'fourth'))
    },
  )

  it.each(constraints)('lets a row keep its own $columns of $table', async (constraint) => {
    const { store } = opened()
    const row = taking(constraint, here, 'first')
    await seed(store, here, [[constraint.table, row]])
    await commit(store, here, async (tx) => writing(tx, constraint.table).update(row))
    expect(await find(store, here, constraint.table, 'first')).toEqual(row)
  })

  const of_two = scoped.filter(({ columns }) => columns.length === 2)
  it.each(of_two)(
    'tells the $columns of $table apart even if both together make the same text',
    async (one) => {
      const { store } = opened()
      const [first = '', last = ''] = one.columns
      const rows = [
        { ...sampleRow(one.table, here, 'one'), [first]: 'a', [last]: 'bc' },
        { ...sampleRow(one.table, here, 'two'), [first]: 'ab', [last]: 'c' },
      ]
      await seed(store, here, rowsOf(one.table, rows))
      for (const row of rows) expect(await find(store, here, one.table, row.id)).toEqual(row)
    },
  )

  it.each(scoped)('does not hold across scopes for $columns of $table', async (constraint) => {
    const { store } = opened()
    for (const scope of [here, live, elsewhere]) {
      const row = taking(constraint, scope, `of ${scope.workspace} ${scope.livemode}`)
      await seed(store, scope, [[constraint.table, row]])
      expect(await find(store, scope, constraint.table, row.id)).toEqual(row)
    }
  })

  it.each(global)('holds across scopes for $columns of $table', async (constraint) => {
    const { store } = opened()
    await seed(store, here, [[constraint.table, taking(constraint, here, 'first')]])
    for (const scope of [here, live, elsewhere]) {
      await expectTaken(store, constraint.table, taking(constraint, scope, 'second'))
    }
  })

  const nullable = scoped.flatMap(({ table, columns }) =>
    columns.filter((column) => isNullable(table, column)).map((column) => ({ table, columns, column })),
  )
  it.each(nullable)('does not hold where $column of $table is null', async ({ table, columns, column }) => {
    const { store } = opened()
    for (const id of ['first', 'second']) {
      const row = { ...taking({ table, columns }, here, id), [column]: null }
      await seed(store, here, [[table, row]])
      expect(await find(store, here, table, id)).toEqual(row)
    }
  })
}

/** A row with the values that every other such row has in the constraint's columns. */
function taking({ table, columns }: Constraint, scope: Scope, id: string): AnyRow {
  return {
    ...sampleRow(table, scope, id),
    ...Object.fromEntries(columns.map((column) => [column, takenValue(table, column)])),
  }
}

async function expectTaken(store: Store, name: TableName, row: AnyRow): Promise<void> {
  const before = await find(store, row, name, row.id)
  await expect(commit(store, row, async (tx) => writing(tx, name).insert(row))).rejects.toThrow()
  await commit(store, row, async (tx) => {
    expect(await writing(tx, name).insertNew(row)).toBe(false)
  })
  expect(await find(store, row, name, row.id)).toEqual(before)
}
