import { type ClaimedDelivery, err, type LeaseRequest, ok, type Store } from '@quittance/core'
import { expect } from 'vitest'
import { describe, it } from '../suite.ts'
import { meeting, waitsForAnother } from './beside-another.ts'
import { claim, claimRequest, delivery, finish, lease, minute, retry, seedQueue } from './claiming.ts'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { commit, eachOpened, elsewhere, find, here, live, seed, turnOfTheLoop, unit } from './opened.ts'

/** A unit of work leases deliveries just as a claim does, and the two never get the same one. */
export function describeLeases(open: OpenStore, options: { processes: boolean }): void {
  describe('a unit of work that leases what it files', () => {
    const opened = eachOpened(open)
    itLeases(opened)
    itKeepsTheLimit(opened)
    itMeetsOthers(opened, options)
  })
}

function itLeases(opened: () => OpenedStore): void {
  it('raises the fencing token by one, and keeps claims away until the lease is over', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', [])
    let within: unknown
    await commit(store, here, async (tx) => {
      expect(await lease(tx, here, ['one', 'two'])).toBe(true)
      within = await tx.deliveries.get('one')
    })
    const leased = { status: 'pending', lease: 2, lease_until: minute(101) }
    expect(within).toMatchObject(leased)
    for (const id of ['one', 'two']) expect(await find(store, here, 'deliveries', id)).toMatchObject(leased)
    expect(await claim(store)).toEqual([])
    const over = await claim(store, { real_at: minute(101), lease_until: minute(102) })
    expect(over.map(({ delivery: { lease } }) => lease)).toEqual([3, 3])
  })

  it('can go on to change what it has leased, and to write it as it was before', async () => {
    const { store } = opened()
    await commit(store, here, async (tx) => {
      await lease(tx, here, ['one', 'two'])
      const row = await tx.deliveries.lock('one')
      if (row !== undefined) await tx.deliveries.update({ ...row, stopped: true })
      await tx.deliveries.update(delivery(here, 'we', 'two', { lease_until: null }))
    })
    expect(await find(store, here, 'deliveries', 'one')).toMatchObject({ lease: 2, stopped: true })
    expect(await find(store, here, 'deliveries', 'two')).toMatchObject({ lease: 1, lease_until: null })
  })

  it.each(['gave Err', 'threw'])('leaves no lease behind once it %s', async (end) => {
    const { store } = opened()
    await seedQueue(store, here, 'we', Array(9).fill(0))
    await seed(store, here, [['deliveries', delivery(here, 'we', 'leased in vain', { lease_until: null })]])
    const ended = unit(store, here, async (tx) => {
      expect(await tx.leaseDeliveries({ ...claimRequest, ids: ['leased in vain'] })).toBe(true)
      expect(await lease(tx, here, ['one', 'two'])).toBe(true)
      if (end === 'threw') throw new Error('in the end')
      return err('refused')
    })
    await Promise.allSettled([ended])
    expect(await claim(store)).toHaveLength(10)
  })
}

function itKeepsTheLimit(opened: () => OpenedStore): void {
  it('leases all it asks for or none: at most `per_workspace`, in both environments together', async () => {
    const { store } = opened()
    await seedQueue(store, live, 'we', Array(9).fill(0))
    await seedQueue(store, elsewhere, 'we', Array(10).fill(0))
    const claimed = await claim(store)
    const outcomes = await leasedIn(store, [
      { ids: ['too many', 'by one'] },
      { ids: ['the tenth'] },
      { ids: ['the eleventh'] },
    ])
    expect(outcomes).toEqual([false, true, false])
    expect(await find(store, here, 'deliveries', 'by one')).toMatchObject({ lease: 1, lease_until: null })
    for (const one of claimed.filter(({ delivery: { livemode } }) => livemode).slice(0, 2))
      await finish(store, one)
    expect(await leasedIn(store, [{ ids: ['in a free place', 'and in another'] }])).toEqual([true])
  })

  it('follows the `per_workspace` and `lease_until` of its own request', async () => {
    const { store } = opened()
    await seedQueue(store, live, 'we', Array(12).fill(0))
    expect(await claim(store, { per_workspace: 12 })).toHaveLength(12)
    const outcomes = await leasedIn(store, [
      { ids: ['too many'], per_workspace: 12 },
      { ids: ['one more'], per_workspace: 13, lease_until: minute(777) },
      { ids: ['again too many'], per_workspace: 13 },
    ])
    expect(outcomes).toEqual([false, true, false])
    expect(await find(store, here, 'deliveries', 'one more')).toMatchObject({ lease_until: minute(777) })
  })

  it('does not count a lease once its failed attempt is recorded', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', Array(10).fill(0))
    const claimed = await claim(store)
    for (const one of claimed.slice(0, 2)) await retry(store, one)
    const outcomes = await leasedIn(store, [
      { ids: ['three', 'are', 'too many'] },
      { ids: ['but two', 'are not'] },
    ])
    expect(outcomes).toEqual([false, true])
  })

  it('does not count a lease that is over', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', Array(10).fill(0))
    expect(await claim(store)).toHaveLength(10)
    const outcomes = await leasedIn(store, [
      { ids: ['early'], real_at: minute(100.99) },
      { ids: ['in time'], real_at: minute(101), lease_until: minute(102) },
    ])
    expect(outcomes).toEqual([false, true])
  })
}

function itMeetsOthers(opened: () => OpenedStore, { processes }: { processes: boolean }): void {
  it('keeps to `per_workspace` live leases, however many units and claims run at once', async () => {
    const { store, reopen } = opened()
    const another = (processes ? await reopen?.() : undefined) ?? store
    await seedQueue(store, live, 'we', Array(20).fill(0))
    await seedQueue(store, here, 'we', [])
    const units = Array.from({ length: 12 }, (_, index) =>
      unit(index % 2 === 0 ? store : another, index % 3 === 0 ? live : here, async (tx) => {
        const leased = await lease(tx, index % 3 === 0 ? live : here, [`filed ${index}`])
        await turnOfTheLoop()
        return ok(leased)
      }),
    )
    const claims = Array.from({ length: 6 }, (_, index) =>
      claim(index % 2 === 0 ? another : store, { limit: 2 }),
    )
    const leased = (await Promise.all(units)).filter((outcome) => outcome.isOk() && outcome.value)
    const claimed = (await Promise.all(claims)).flat()
    expect(leased.length + claimed.length).toBeLessThanOrEqual(10)
    const rest = await claim(store)
    expect(leased.length + claimed.length + rest.length, 'what the first have left can be claimed').toBe(10)
    if (another !== store) await another.close()
  })

  it('does not wait for another unit that leases in its workspace', async () => {
    const { store } = opened()
    const waits = await waitsForAnother(store, (tx, id) => lease(tx, here, [id]))
    expect(waits, 'whether the second of them waits').toBe(false)
  })

  it.each([here, live])(
    'keeps to `per_workspace` live leases beside a claim that begins while it is open (its livemode: $livemode)',
    async (scope) => {
      const { store } = opened()
      for (const each of [here, live]) await seedQueue(store, each, 'we', Array(10).fill(0))
      const [leasing, claiming] = await meeting(
        (meanwhile) =>
          unit(store, scope, async (tx) => {
            const leased = await lease(tx, scope, ['one', 'two', 'three'])
            await meanwhile()
            return ok(leased ? 3 : 0)
          }),
        () => claim(store),
      )
      if (leasing.status === 'rejected' || claiming.status === 'rejected')
        throw new Error('nobody is refused')
      const leased = leasing.value.unwrapOr(0) + claiming.value.length
      expect(leased, 'live leases of the unit and of the claim').toBeLessThanOrEqual(10)
      expect(leased + (await claim(store)).length, 'and of one more claim').toBe(10)
    },
  )

  it('keeps to `per_workspace` live leases beside another unit that begins while it is open', async () => {
    const { store } = opened()
    const six = ['1', '2', '3', '4', '5', '6']
    const [first, second] = await meeting(
      (meanwhile) =>
        unit(store, here, async (tx) => {
          const leased = await lease(tx, here, six)
          await meanwhile()
          return ok(leased)
        }),
      () => unit(store, live, async (tx) => ok(await lease(tx, live, six))),
    )
    if (first.status === 'rejected' || second.status === 'rejected') throw new Error('nobody is refused')
    expect([first.value.unwrapOr(false), second.value.unwrapOr(true)]).toEqual([true, false])
  })

  it('leaves the deliveries of another workspace to a claim', async () => {
    const { store } = opened()
    await seedQueue(store, elsewhere, 'we', [0])
    const claims: Promise<ClaimedDelivery[]>[] = []
    await commit(store, here, async (tx) => {
      await lease(tx, here, ['one'])
      // Not awaited here: in a store with one writer at a time, the claim waits for the unit.
      claims.push(claim(store))
      for (let turn = 0; turn < 5; turn += 1) await turnOfTheLoop()
    })
    expect((await Promise.all(claims)).flat()).toHaveLength(1)
  })
}

/** What each of these leases of new deliveries gives, in one unit. */
async function leasedIn(
  store: Store,
  leases: readonly (Partial<LeaseRequest> & Pick<LeaseRequest, 'ids'>)[],
): Promise<boolean[]> {
  const outcomes = await unit(store, here, async (tx) => {
    const leased: boolean[] = []
    for (const { ids, ...changes } of leases) leased.push(await lease(tx, here, ids, changes))
    return ok(leased)
  })
  return outcomes.unwrapOr([])
}
