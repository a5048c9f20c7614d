import { setTimeout } from 'node:timers/promises'
import { err, ok, type Transaction } from '@quittance/core'
import { expect } from 'vitest'
import { it } from '../suite.ts'
import { meeting } from './beside-another.ts'
import type { OpenedStore } from './open-store.ts'
import { commit, everyRow, find, here, seed, unit } from './opened.ts'
import { sampleRow } from './sample-row.ts'

const customer = (name: string) => sampleRow('customers', here, 'row', { name, reference: 'taken' })

/** Longer than anything waits unless it is stuck. */
const stuck_after_ms = 10_000

/** One unit has locked, written or read a row that another wants while the first is open or has just ended. */
export function itKeepsUnitsApart(opened: () => OpenedStore): void {
  itHoldsRows(opened)
  itLetsGoOfRows(opened)
  itHidesWhatIsOpen(opened)
  itRunsAgain(opened)
}

function itHoldsRows(opened: () => OpenedStore): void {
  it.each(['update', 'delete'] as const)('no `%s` of a row locked by another unit is lost', async (by) => {
    const { store } = opened()
    await seed(store, here, [['customers', customer('before')]])
    const outcomes = await meeting(
      (meanwhile) =>
        commit(store, here, async ({ customers }) => {
          const row = await customers.lock('row')
          await meanwhile()
          if (row !== undefined) await customers.update({ ...row, name: `first, after ${row.name}` })
        }),
      () =>
        commit(store, here, async ({ customers }) =>
          by === 'update' ? customers.update(customer('second')) : customers.delete('row'),
        ),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    const name = (await find(store, here, 'customers', 'row'))?.name
    expect(by === 'update' ? ['second', 'first, after second'] : [undefined]).toContain(name)
  })
}

const holds: Record<string, (tx: Transaction) => PromiseLike<unknown>> = {
  'has locked a row': (tx) => tx.customers.lock('row'),
  'has updated a row': (tx) => tx.customers.update(customer('changed')),
  'has deleted a row': (tx) => tx.customers.delete('row'),
  'has inserted a row': (tx) => tx.cursors.insert(sampleRow('cursors', here, 'new')),
  'has locked its scope': (tx) => tx.lockScope('exclusive'),
}

function itLetsGoOfRows(opened: () => OpenedStore): void {
  const ends = Object.keys(holds).flatMap((what) => ['gave Err', 'threw'].map((end) => ({ what, end })))
  it.each(ends)('a unit that $what keeps no other unit waiting once it $end', async ({ what, end }) => {
    const { store } = opened()
    await seed(store, here, [['customers', customer('before')]])
    const ended = unit(store, here, async (tx) => {
      await holds[what]?.(tx)
      if (end === 'threw') throw new Error('in the end')
      return err('refused')
    })
    await Promise.allSettled([ended])
    const next = commit(store, here, async (tx) => {
      await tx.lockScope('exclusive')
      await tx.customers.lock('row')
      await tx.customers.update(customer('after'))
      await tx.cursors.insert(sampleRow('cursors', here, 'new'))
    })
    expect(await Promise.race([next, setTimeout(stuck_after_ms, 'waits for a unit that has ended')])).toBe(
      undefined,
    )
  })
}

function itHidesWhatIsOpen(opened: () => OpenedStore): void {
  it('a unit sees nothing that another one writes while it is open', async () => {
    const { store } = opened()
    await seed(store, here, [['customers', customer('before')]])
    const [, seen] = await meeting(
      (meanwhile) =>
        unit(store, here, async (tx) => {
          await tx.customers.update(customer('never'))
          await tx.cursors.insert(sampleRow('cursors', here, 'never'))
          await meanwhile()
          return err('undone')
        }),
      () =>
        unit(store, here, async (tx) =>
          ok([
            (await tx.customers.get('row'))?.name,
            (await tx.customers.page({ where: {}, limit: 9 })).map(({ name }) => name),
            await tx.cursors.get('never'),
          ]),
        ),
    )
    expect(seen).toMatchObject({ value: ok(['before', ['before'], undefined]) })
  })
}

function itRunsAgain(opened: () => OpenedStore): void {
  it('a unit that found no row with `get`, and whose `insert` then comes too late, is run again and keeps only that run', async () => {
    const { store } = opened()
    const runs: Record<string, number> = {}
    const look = (name: string, meanwhile = async () => {}) =>
      commit(store, here, async (tx) => {
        runs[name] = (runs[name] ?? 0) + 1
        await tx.cursors.insert(sampleRow('cursors', here, `run ${runs[name]} of ${name}`))
        if (await tx.customers.get('row')) return
        await meanwhile()
        await tx.customers.insert(customer(name))
      })
    const outcomes = await meeting(
      (meanwhile) => look('the first', meanwhile),
      () => look('the second'),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
    const kept = await everyRow(store, here, 'cursors')
    const last_runs = Object.entries(runs).map(([name, run]) => `run ${run} of ${name}`)
    expect(kept.map(({ id }) => id).toSorted()).toEqual(last_runs.toSorted())
  })
}
