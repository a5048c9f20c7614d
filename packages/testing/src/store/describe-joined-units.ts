import { err, type JoinedStore, ok, type Result, type Transaction } from '@quittance/core'
import { expect } from 'vitest'
import { it } from '../suite.ts'
import { claim, lease, minute, seedQueue } from './claiming.ts'
import { expectEnded } from './describe-transactions.ts'
import type { OpenedStore } from './open-store.ts'
import { elsewhere, everyRow, find, here, joinHost, live, unit, withHost } from './opened.ts'
import { sampleRow } from './sample-row.ts'

const customer = (id: string) => sampleRow('customers', here, id)

/** A unit of work in a transaction of the host is like any other. */
export function itRunsUnitsInIt(opened: () => OpenedStore, kind: string): void {
  it.each([live, elsewhere])(
    'rejects writes of a row of another scope ($workspace, livemode: $livemode)',
    async (scope) => {
      const { joined, transaction } = await joinHost(opened(), kind)
      const foreign = sampleRow('customers', scope, 'foreign')
      for (const write of ['insert', 'insertNew', 'update'] as const) {
        const written = async () =>
          joined.transaction(here, async (tx) => ok(await tx.customers[write](foreign)))
        await expect(written(), write).rejects.toThrow()
      }
      await transaction.rollback()
    },
  )

  it.each(['gave Ok', 'gave Err', 'threw'])(
    'rejects every call of a unit’s `tx` once the unit %s',
    async (end) => {
      const { store, joined, transaction } = await joinHost(opened(), kind)
      await expectEnded(end, (work) => joined.transaction(here, work))
      await transaction.commit()
      expect(await find(store, here, 'customers', 'added')).toBeUndefined()
    },
  )

  it.each([
    ['commits', 2],
    ['rolls back', undefined],
  ])('keeps the leases of its units only if the host commits: it %s', async (fate, expected) => {
    await seedQueue(opened().store, here, 'we', [])
    const { store, joined, transaction } = await joinHost(opened(), kind)
    const leased = await joined.transaction(here, async (tx) => ok(await lease(tx, here, ['one'])))
    expect(leased.isOk() && leased.value).toBe(true)
    const within = await joined.read(here, (rows) => rows.deliveries.get('one'))
    expect(within).toMatchObject({ lease: 2, lease_until: minute(101) })
    await (fate === 'commits' ? transaction.commit() : transaction.rollback())
    expect((await find(store, here, 'deliveries', 'one'))?.lease).toBe(expected)
    expect(await claim(store)).toEqual([])
  })
}

/** A handle of the right kind may still be of another database. */
export function itRefusesStrangers(opened: () => OpenedStore): void {
  it('is refused if it is open in another database, by `join` or by its first unit', async () => {
    const { store, host } = withHost(opened())
    const stranger = await host.beginElsewhere()
    const written = async () =>
      store
        .join(stranger.native)
        .transaction(here, async (tx) => ok(await tx.customers.insert(customer('lost'))))
    await expect(written()).rejects.toThrow()
    await stranger.rollback()
  })
}

/** The store's own units: the host's listeners write on their handle, and join it. */
export function itLendsItsTransactions(opened: () => OpenedStore): void {
  const ends = ['gives Ok', 'gives Err', 'throws'] as const

  it.each(ends)('keeps what the host writes on `tx.native` only if its unit gives Ok: it %s', async (end) => {
    const { store, host } = withHost(opened())
    const ended = unit(store, here, async (tx): Promise<Result<null, string>> => {
      await tx.customers.insert(customer('ours'))
      await host.write(tx.native, 'written by a listener')
      if (end === 'throws') throw new Error('in the end')
      return end === 'gives Ok' ? ok(null) : err('refused')
    })
    await Promise.allSettled([ended])
    expect(await host.orders()).toEqual(end === 'gives Ok' ? ['written by a listener'] : [])
    expect(await find(store, here, 'customers', 'ours')).toEqual(
      end === 'gives Ok' ? customer('ours') : undefined,
    )
  })

  it.each(ends)('undoes only the unit that joins `tx.native`, unless that gives Ok: it %s', async (end) => {
    const { store, host } = withHost(opened())
    const inner = async (tx: Transaction): Promise<Result<null, string>> => {
      await tx.customers.insert(customer('inner'))
      await tx.customers.delete('outer')
      await host.write(tx.native, 'inner')
      if (end === 'throws') throw new Error('in the end')
      return end === 'gives Ok' ? ok(null) : err('refused')
    }
    const outer = await unit(store, here, async (tx) => {
      await tx.customers.insert(customer('outer'))
      await host.write(tx.native, 'outer')
      const joined: JoinedStore = store.join(tx.native)
      await Promise.allSettled([(async () => joined.transaction(here, inner))()])
      return ok(null)
    })
    expect(outer.isOk()).toBe(true)
    const kept = end === 'gives Ok' ? ['inner'] : ['outer']
    const page = await everyRow(store, here, 'customers')
    expect(page.map(({ id }) => id)).toEqual(kept)
    expect((await host.orders()).toSorted()).toEqual(end === 'gives Ok' ? ['inner', 'outer'] : ['outer'])
  })
}
