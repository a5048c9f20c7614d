import type { Tables } from '@quittance/core'
import { expect } from 'vitest'
import { it } from '../suite.ts'
import { claim, claimRequest, endpointsOf, finish, lease, minute, retry, seedQueue } from './claiming.ts'
import type { OpenedStore } from './open-store.ts'
import { commit, elsewhere, here, live } from './opened.ts'

const twelve = Array<number>(12).fill(0)

/** What a claim does not take. */
export function itLimits(opened: () => OpenedStore): void {
  it('gives a workspace at most `per_workspace` live leases, in both environments together', async () => {
    const { store } = opened()
    for (const scope of [here, live, elsewhere]) await seedQueue(store, scope, 'we', Array(8).fill(0))
    const first = await claim(store)
    expect(first.filter(({ delivery: { workspace } }) => workspace === here.workspace)).toHaveLength(10)
    expect(first.filter(({ delivery: { workspace } }) => workspace === elsewhere.workspace)).toHaveLength(8)
    expect(await claim(store)).toEqual([])
    const [done] = first.filter(({ delivery: { workspace } }) => workspace === here.workspace)
    if (done !== undefined) await finish(store, done)
    expect(await claim(store)).toHaveLength(1)
    expect(await claim(store, { real_at: minute(101) })).toHaveLength(18)
  })

  it('uses the place of a failed attempt again once it is recorded', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', twelve)
    const [first, second] = await claim(store)
    if (first === undefined || second === undefined) throw new Error('nothing was claimed')
    await retry(store, first)
    expect(await claim(store)).toHaveLength(1)
    await retry(store, second)
    expect(await claim(store)).toHaveLength(1)
    expect(await claim(store)).toEqual([])
  })

  it('does not count a lease whose delivery is no longer pending, even if `lease_until` is still set', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', twelve)
    const first = await claim(store)
    for (const { delivery: row } of first.slice(0, 3))
      await commit(store, here, async (tx) => tx.deliveries.update({ ...row, status: 'canceled' }))
    expect(await claim(store, { per_workspace: 8 })).toHaveLength(1)
    await commit(store, here, async (tx) => {
      expect(await lease(tx, here, ['one is', 'too many'], { per_workspace: 9 })).toBe(false)
      expect(await tx.leaseDeliveries({ ...claimRequest, ids: ['too many'], per_workspace: 9 })).toBe(true)
    })
  })

  it('counts a lease that an update wrote', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', twelve)
    await commit(store, here, async ({ deliveries }) => {
      const row = await deliveries.lock('we 00')
      if (row !== undefined) await deliveries.update({ ...row, lease_until: minute(101) })
    })
    expect(await claim(store)).toHaveLength(9)
  })

  it('does not count the leases in `ended`, but leaves their deliveries alone', async () => {
    const { store } = opened()
    for (const scope of [here, live]) await seedQueue(store, scope, 'we', twelve)
    const first = (await claim(store)).map(({ delivery: leased }) => leased)
    const ended = first.slice(0, 2)
    const [one] = ended
    if (one === undefined) throw new Error('nothing was claimed')
    const others = [
      { ...one, lease: one.lease - 1 },
      { ...one, livemode: !one.livemode, lease: one.lease + 1 },
      { ...one, workspace: elsewhere.workspace },
    ]
    expect(await claim(store, { ended: others })).toEqual([])
    const named_twice = [...ended, one]
    const second = (await claim(store, { ended: named_twice })).map(({ delivery: leased }) => leased)
    expect(second).toHaveLength(2)
    expect(new Set([...first, ...second].map(({ livemode, id }) => `${livemode} ${id}`)).size).toBe(12)
    expect(await claim(store, { ended })).toEqual([])
    expect(await claim(store), 'by another process, which sees twelve live leases').toEqual([])
    expect(await claim(store, { ended: [...ended, ...second.slice(1)] })).toHaveLength(1)
  })

  it.each([
    ['a place for an idle endpoint of the other environment', 9, { reserved: 2 }, 1],
    ['a place for each idle endpoint, up to `reserved`', 8, { reserved: 2 }, 3],
    ['no place if `reserved` is 0', 10, { reserved: 0 }, 3],
    ['no place if no endpoint of the workspace is idle', 10, { reserved: 2 }, 0],
  ])('keeps %s', async (_, taken, changes, idle) => {
    const { store } = opened()
    await seedQueue(store, here, 'flooded', twelve)
    for (let index = 0; index < idle; index += 1) await seedQueue(store, live, `idle ${index}`, [])
    await seedQueue(store, elsewhere, 'of another workspace', [])
    expect(endpointsOf(await claim(store, changes))).toEqual({ flooded: taken })
    expect(await claim(store, changes)).toEqual([])
  })

  it.each<[string, Partial<Tables['webhook_endpoints']>]>([
    ['disabled', { status: 'disabled' }],
    ['deleted', { status: 'disabled', listed: false, slot: null }],
  ])('keeps no place for an endpoint that is %s', async (_, changes) => {
    const { store } = opened()
    await seedQueue(store, here, 'flooded', twelve)
    await seedQueue(store, here, 'other', [])
    await commit(store, here, async (tx) => {
      const row = await tx.webhook_endpoints.lock('other')
      if (row !== undefined) await tx.webhook_endpoints.update({ ...row, ...changes })
    })
    expect(await claim(store)).toHaveLength(10)
  })

  it('gives a reserved place to an endpoint without a live lease, and reserves it again once its attempt has ended', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'flooded', twelve)
    await seedQueue(store, here, 'quiet', [5, 5])
    await seedQueue(store, live, 'never', [])
    expect(endpointsOf(await claim(store))).toEqual({ flooded: 8 })
    const [first] = await claim(store, { at: minute(5), limit: 1 })
    expect(first?.delivery.endpoint).toBe('quiet')
    expect(await claim(store, { at: minute(5) }), 'the last one is for who has none').toEqual([])
    if (first !== undefined) await finish(store, first)
    const ended = (await claim(store, { at: minute(5) })).map(({ delivery }) => delivery)
    expect(ended.map(({ endpoint }) => endpoint)).toEqual(['quiet'])
    expect(await claim(store, { at: minute(5), ended }), 'now both are kept again').toEqual([])
  })

  it('gives an endpoint its first live lease even in the place reserved for an idle one', async () => {
    const { store } = opened()
    for (const index of [0, 1, 2]) await seedQueue(store, here, `flooded ${index}`, twelve)
    await seedQueue(store, here, 'idle', [])
    expect(endpointsOf(await claim(store))).toEqual({ 'flooded 0': 3, 'flooded 1': 3, 'flooded 2': 3 })
    for (const index of [0, 1]) await seedQueue(store, live, `first ${index}`, [0])
    expect(await claim(store, { limit: 1 })).toHaveLength(1)
    expect(await claim(store)).toEqual([])
  })

  it('looks past a workspace whose free places are all reserved', async () => {
    const { store } = opened()
    for (const index of [0, 1, 2, 3]) await seedQueue(store, here, `slow ${index}`, twelve)
    for (const index of [0, 1]) await seedQueue(store, here, `idle ${index}`, [])
    expect(await claim(store)).toHaveLength(8)
    await seedQueue(store, elsewhere, 'other', twelve)
    // Each of the slow endpoints holds two leases, and the endpoint that holds the fewest comes first.
    expect(endpointsOf(await claim(store, { limit: 3 }))).toEqual({ other: 3 })
    expect(endpointsOf(await claim(store, { limit: 1 }))).toEqual({ other: 1 })
  })
}
