import { type DueRow, type Scope, type Store, shifted, type TableName } from '@quittance/core'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { commit, eachOpened, elsewhere, here, live, rowsOf, seed, writing } from './opened.ts'
import { type AnyRow, at, columnsOf, sampleRow, tableNames } from './sample-row.ts'

const timedTables = tableNames.filter((name) => 'due_at' in columnsOf(name))
const later = (minutes: number) => shifted(at, minutes * 60_000)

export function describeDue(open: OpenStore): void {
  describe('`due` and `nextDue`', () => {
    const opened = eachOpened(open)
    itIsListed(opened)
    itFollows(opened)
  })
}

function itIsListed(opened: () => OpenedStore): void {
  it('list the rows of all tables and scopes, earliest first', async () => {
    const { store } = opened()
    const expected: DueRow[] = []
    for (const [index, table] of timedTables.entries()) {
      for (const [offset, scope] of [elsewhere, here, live].entries()) {
        const due_at = later(((index * 7 + offset * 11) % 30) * 10 + index)
        await seed(store, scope, [[table, timed(table, scope, due_at)]])
        expected.push({ table, ...scope, id: 'row', due_at })
      }
    }
    const [first] = await expectInOrder(store, later(1_000), expected)
    expect((await store.nextDue(null)).row).toBe(first?.due_at)
  })

  it('list rows of the same time by table, livemode, workspace and id', async () => {
    const { store } = opened()
    const expected: DueRow[] = []
    for (const table of timedTables.toReversed()) {
      for (const scope of [elsewhere, live, here]) {
        // In most other tables two sample rows of a scope would have the same unique values.
        for (const id of table === 'idempotency_keys' ? ['row', 'key'] : ['row']) {
          await seed(store, scope, [[table, { ...timed(table, scope, later(1)), id }]])
          expected.push({ table, ...scope, id, due_at: later(1) })
        }
      }
    }
    await expectInOrder(store, later(1), expected)
  })

  it('find a row from its `due_at` on, and not a millisecond earlier', async () => {
    const { store } = opened()
    const half = shifted(later(5), 500)
    await seed(store, here, [
      ['payments', timed('payments', here, half)],
      ['refunds', timed('refunds', here, later(5))],
    ])
    const dueAt = async (at: string) =>
      (await store.due({ at, after: null, limit: 9 })).map(({ table }) => table)
    expect(await dueAt(shifted(later(5), -1))).toEqual([])
    expect(await dueAt(later(5))).toEqual(['refunds'])
    expect(await dueAt(shifted(half, -1))).toEqual(['refunds'])
    expect(await dueAt(half)).toEqual(['refunds', 'payments'])
    expect((await store.nextDue(shifted(half, -1))).row).toBe(half)
    expect((await store.nextDue(half)).row).toBeNull()
  })
}

function itFollows(opened: () => OpenedStore): void {
  it('go on after a row that is no longer due, with those of the same time', async () => {
    const { store } = opened()
    const rows = ['a', 'b', 'c'].map((id) => sampleRow('payments', here, id, { due_at: later(1) }))
    const before = sampleRow('payments', here, 'stays due', { due_at: later(0) })
    await seed(store, here, rowsOf('payments', [before, ...rows]))
    const due = async (after: DueRow | null) => store.due({ at: later(1), after, limit: 1 })
    const [earliest = null] = await due(null)
    expect(earliest?.id).toBe('stays due')
    const [first = null] = await due(earliest)
    await commit(store, here, async (tx) => tx.payments.delete('a'))
    const [second = null] = await due(first)
    expect(second?.id).toBe('b')
    await commit(store, here, async (tx) => {
      await tx.payments.update(sampleRow('payments', here, 'b', { due_at: null }))
    })
    expect((await due(second)).map(({ id }) => id)).toEqual(['c'])
  })

  it.each(timedTables)('follow a row of %s through updates and deletion', async (name) => {
    const { store } = opened()
    expect(await store.nextDue(null)).toEqual({ row: null, delivery: null })
    const changed = (due_at: string | null) =>
      commit(store, here, async (tx) => writing(tx, name).update(timed(name, here, due_at)))
    await seed(store, here, [[name, timed(name, here, null)]])
    expect(await store.nextDue(null)).toEqual({ row: null, delivery: null })
    for (const minutes of [9, 3, 6, 3, 9]) {
      await changed(later(minutes))
      expect((await store.nextDue(null)).row).toBe(later(minutes))
      const due = await store.due({ at: later(10), after: null, limit: 10 })
      expect(due).toEqual([{ table: name, ...here, id: 'row', due_at: later(minutes) }])
    }
    const [after = null] = await store.due({ at: later(10), after: null, limit: 1 })
    await changed(later(8))
    const moved = [{ table: name, ...here, id: 'row', due_at: later(8) }]
    expect(await store.due({ at: later(10), after: null, limit: 10 })).toEqual(moved)
    expect(await store.due({ at: later(10), after, limit: 10 }), 'behind where it was').toEqual([])
    await changed(null)
    expect(await store.due({ at: later(10), after: null, limit: 10 })).toEqual([])
    await changed(later(1))
    await commit(store, here, async (tx) => writing(tx, name).delete('row'))
    expect(await store.due({ at: later(10), after: null, limit: 10 })).toEqual([])
    expect((await store.nextDue(null)).row).toBeNull()
  })

  it('find the earliest next attempt of all pending deliveries, leased or not', async () => {
    const { store } = opened()
    const delivery = (id: string, status: 'pending' | 'succeeded', next_attempt_at: string | null) =>
      sampleRow('deliveries', here, id, { status, next_attempt_at })
    await seed(store, here, [
      ['deliveries', delivery('done', 'succeeded', later(1))],
      ['deliveries', delivery('second', 'pending', later(3))],
      ['deliveries', { ...delivery('first', 'pending', later(2)), lease_until: later(9) }],
    ])
    expect((await store.nextDue(null)).delivery, 'leased or not').toBe(later(2))
    await commit(store, here, async (tx) => tx.deliveries.update(delivery('first', 'succeeded', null)))
    expect((await store.nextDue(null)).delivery).toBe(later(3))
    await commit(store, here, async (tx) => tx.deliveries.delete('second'))
    expect((await store.nextDue(null)).delivery).toBeNull()
  })

  it('find the next attempt of each delivery where several scopes have the same id', async () => {
    const { store } = opened()
    const delivery = (scope: Scope, minutes: number) =>
      sampleRow('deliveries', scope, 'row', { status: 'pending', next_attempt_at: later(minutes) })
    const of_scope = [
      { scope: live, minutes: 1 },
      { scope: elsewhere, minutes: 2 },
      { scope: here, minutes: 3 },
    ]
    for (const { scope, minutes } of of_scope)
      await seed(store, scope, [['deliveries', delivery(scope, minutes)]])
    for (const { scope, minutes } of of_scope) {
      expect((await store.nextDue(null)).delivery).toBe(later(minutes))
      await commit(store, scope, async (tx) => tx.deliveries.delete('row'))
    }
    expect((await store.nextDue(null)).delivery).toBeNull()
  })

  it('find the earliest times later than `after`', async () => {
    const { store } = opened()
    const delivery = (id: string, next_attempt_at: string) =>
      sampleRow('deliveries', here, id, { status: 'pending', next_attempt_at })
    await seed(store, here, [
      ['payments', timed('payments', here, later(1))],
      ['refunds', timed('refunds', here, later(3))],
      ['deliveries', delivery('first', later(2))],
      ['deliveries', delivery('second', later(4))],
    ])
    await seed(store, live, [['payments', timed('payments', live, later(1))]])
    const seen = []
    for (const minutes of [0, 1, 2, 3, 4]) seen.push(await store.nextDue(later(minutes)))
    expect(seen).toEqual([
      { row: later(1), delivery: later(2) },
      { row: later(3), delivery: later(2) },
      { row: later(3), delivery: later(4) },
      { row: null, delivery: later(4) },
      { row: null, delivery: null },
    ])
    expect(await store.nextDue(null)).toEqual({ row: later(1), delivery: later(2) })
    const half = shifted(later(4), 500)
    await seed(store, here, [['deliveries', delivery('third', half)]])
    expect((await store.nextDue(shifted(half, -1))).delivery).toBe(half)
    expect((await store.nextDue(half)).delivery).toBeNull()
  })
}

/** One line a row, so that a row out of place is seen at a glance. */
const inALine = ({ due_at, table, livemode, workspace, id }: DueRow) =>
  [due_at, table, livemode, workspace, id].join(' ')

/** That these are listed in their order, in pages of any size from the beginning and after each of them. Returns them so. */
async function expectInOrder(store: Store, at: string, rows: readonly DueRow[]): Promise<DueRow[]> {
  const expected = rows.toSorted((a, b) => (inALine(a) < inALine(b) ? -1 : 1))
  const expectPage = async (first: number, limit: number) => {
    const page = await store.due({ at, after: expected[first - 1] ?? null, limit })
    expect(page.map(inALine)).toEqual(expected.slice(first, first + limit).map(inALine))
  }
  for (const limit of [100, 5, 100]) await expectPage(0, limit)
  for (const [index] of expected.entries()) for (const limit of [2, 4]) await expectPage(index + 1, limit)
  return expected
}

function timed(name: TableName, scope: Scope, due_at: string | null): AnyRow {
  return { ...sampleRow(name, scope, 'row'), due_at }
}
