import type { ClaimedDelivery } from '@quittance/core'
import { expect } from 'vitest'
import { it } from '../suite.ts'
import { claim, endpointsOf, finish, idsOf, minute, seedQueue } from './claiming.ts'
import type { OpenedStore } from './open-store.ts'
import { elsewhere, find, here, live } from './opened.ts'

const thirty = Array<number>(30).fill(0)
const twice = { ...here, endpoint: 'we', rounds: 2 }

/** What a claim leases beyond what it takes. */
export function itLeasesAhead(opened: () => OpenedStore): void {
  it('leases ahead the next due deliveries of an endpoint, up to `rounds` for each one taken, and returns them last', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', [-5, -4, -3, -2, -1, 0, 1])
    const claimed = await claim(store, { limit: 2, ahead: [twice] })
    const named = claimed.map(({ delivery: { id }, ahead }) => [id, ahead])
    expect(named.slice(0, 2)).toEqual([
      ['we 00', false],
      ['we 01', false],
    ])
    // The sixth delivery is the last that is due.
    expect(named.slice(2)).toEqual(['we 02', 'we 03', 'we 04', 'we 05'].map((id) => [id, true]))
    for (const { delivery } of claimed)
      expect(delivery).toEqual(await find(store, here, 'deliveries', delivery.id))
    expect(new Set(claimed.map(({ delivery }) => delivery.lease_until))).toEqual(new Set([minute(101)]))
    expect(await claim(store, { ahead: [twice] }), 'by another, while those leases live').toEqual([])
  })

  it('leases ahead only for the endpoints in `ahead`, each in its own scope', async () => {
    const { store } = opened()
    for (const scope of [here, live, elsewhere]) await seedQueue(store, scope, 'we', thirty)
    await seedQueue(store, here, 'other', thirty)
    const claimed = await claim(store, { limit: 6, ahead: [twice] })
    const ahead = aheadIn(claimed)
    const of_it = ({ delivery }: ClaimedDelivery) =>
      delivery.endpoint === 'we' &&
      delivery.workspace === here.workspace &&
      delivery.livemode === here.livemode
    const taken = claimed.filter((one) => !one.ahead && of_it(one)).length
    expect(taken).toBeGreaterThan(0)
    expect(ahead.length).toBe(2 * taken)
    expect(ahead.filter(of_it)).toEqual(ahead)
  })

  it('leases ahead for several endpoints in turn', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'older', [-9, -8, -7, -6])
    await seedQueue(store, elsewhere, 'younger', [-5, -4, -3, -2])
    const ahead = [
      { ...elsewhere, endpoint: 'younger', rounds: 2 },
      { ...here, endpoint: 'older', rounds: 3 },
    ]
    const claimed = aheadIn(await claim(store, { limit: 2, ahead }))
    expect(idsOf(claimed)).toEqual(['older 01', 'younger 01', 'older 02', 'younger 02', 'older 03'])
  })

  it('leases nothing ahead for an endpoint that it takes nothing from', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', thirty)
    expect(await claim(store)).toHaveLength(10)
    expect(await claim(store, { ahead: [twice] })).toEqual([])
  })

  it('counts what an earlier claim leased ahead as live leases, until each is recorded', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', thirty)
    await seedQueue(store, here, 'other', thirty)
    const first = await claim(store, { limit: 3, ahead: [twice, { ...twice, endpoint: 'other' }] })
    expect([first.length, aheadIn(first).length]).toEqual([9, 6])
    const second = await claim(store)
    expect(second, 'the one place that is left').toHaveLength(1)
    for (const one of first.slice(0, 4)) await finish(store, one)
    expect(await claim(store)).toHaveLength(4)
    expect(await claim(store)).toEqual([])
  })

  it('leases ahead without taking places, and keeps the one reserved for an idle endpoint', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', thirty)
    await seedQueue(store, here, 'idle', [])
    const claimed = await claim(store, { ahead: [twice] })
    expect(endpointsOf(claimed.filter(({ ahead }) => !ahead))).toEqual({ we: 9 })
    expect(endpointsOf(aheadIn(claimed))).toEqual({ we: 18 })
  })
}

const aheadIn = (claimed: ClaimedDelivery[]) => claimed.filter(({ ahead }) => ahead)
