import { type ClaimedDelivery, shifted } from '@quittance/core'
import { expect } from 'vitest'
import { beforeEach, describe, it } from '../suite.ts'
import {
  bodyOf,
  claim,
  claimRequest,
  delivery,
  endpointsOf,
  finish,
  idsOf,
  minute,
  seedLeased,
  seedQueue,
} from './claiming.ts'
import { itLeasesAhead } from './describe-ahead.ts'
import { itIsAsModelled } from './describe-claim-model.ts'
import { itLimits } from './describe-limits.ts'
import type { OpenedStore, OpenStore } from './open-store.ts'
import { commit, eachOpened, elsewhere, find, here, live, seed, turnOfTheLoop } from './opened.ts'
import { at } from './sample-row.ts'

/** Claims beside few deliveries, among many and behind many: with many, a store may proceed differently. */
export function describeClaims(open: OpenStore): void {
  for (const [place, leased, due_at] of [
    ['', 0, at],
    [' among many that are due and leased', 300, minute(-1)],
    [' behind many that are due and leased', 300, minute(-1_000)],
  ] as const)
    describe(`a claim of deliveries${place}`, () => {
      const opened = eachOpened(open)
      beforeEach(() => seedLeased(opened().store, leased, due_at))
      itLeases(opened)
      itIsFair(opened)
      itLimits(opened)
      itLeasesAhead(opened)
      itIsAsModelled(opened)
      itExcludes(opened)
    })
}

function itLeases(opened: () => OpenedStore): void {
  it('leases what is pending and due, and returns it with its endpoint and the bytes of its event', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', [0])
    const [claimed] = await claim(store)
    const stored = await find(store, here, 'deliveries', 'we 00')
    expect(stored).toMatchObject({
      lease: 2,
      lease_until: minute(101),
      status: 'pending',
      next_attempt_at: at,
    })
    expect(claimed?.delivery).toEqual(stored)
    expect(claimed?.endpoint).toEqual(await find(store, here, 'webhook_endpoints', 'we'))
    expect(claimed?.body).toBe(bodyOf(here, 'we'))
  })

  it('leaves out deliveries whose endpoint or event is missing, and takes the others', async () => {
    const { store } = opened()
    for (const endpoint of ['gone', 'we']) await seedQueue(store, here, endpoint, [0, 1])
    await seed(store, here, [['deliveries', delivery(here, 'we', 'without', { event: 'none' })]])
    await commit(store, here, async (tx) => tx.webhook_endpoints.delete('gone'))
    expect(idsOf(await claim(store, { at: minute(1) }))).toEqual(['we 00', 'we 01'])
  })

  it('returns the endpoint and the bytes of each delivery’s own scope, even where scopes have the same ids', async () => {
    const { store } = opened()
    for (const scope of [here, live, elsewhere]) await seedQueue(store, scope, 'we', [0, 0])
    expect(await claim(store)).toHaveLength(6)
  })

  it('leaves alone what is not due, has no `next_attempt_at`, or is no longer pending', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', [1, 2])
    await seed(store, here, [
      ['deliveries', delivery(here, 'we', 'untimed', { next_attempt_at: null })],
      ['deliveries', delivery(here, 'we', 'done', { status: 'succeeded' })],
      ['deliveries', delivery(here, 'we', 'canceled', { status: 'canceled' })],
    ])
    expect(await claim(store, { at: shifted(minute(1), -1) })).toEqual([])
    expect(idsOf(await claim(store, { at: minute(1) }))).toEqual(['we 00'])
  })

  it('takes a delivery once it is due, and again once its lease is over, to the millisecond', async () => {
    const { store } = opened()
    const half = (minutes: number) => shifted(minute(minutes), 500)
    await seedQueue(store, here, 'we', [])
    await seed(store, here, [['deliveries', delivery(here, 'we', 'half', { next_attempt_at: half(1) })]])
    const until_half = { at: half(1), lease_until: half(101) }
    expect(await claim(store, { ...until_half, at: shifted(half(1), -1) })).toEqual([])
    expect(idsOf(await claim(store, until_half))).toEqual(['half'])
    expect(await claim(store, { ...until_half, real_at: shifted(half(101), -1) })).toEqual([])
    const again = await claim(store, { ...until_half, real_at: half(101), lease_until: half(102) })
    expect(idsOf(again)).toEqual(['half'])
  })

  it('returns the endpoint as it is now, whatever an earlier claim returned', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', [0, 0])
    expect(await claim(store, { limit: 1 })).toHaveLength(1)
    await commit(store, here, async ({ webhook_endpoints }) => {
      const row = await webhook_endpoints.lock('we')
      if (row === undefined) throw new Error('an endpoint that was inserted is not there')
      const moved = { url: 'https://moved.example/', enabled_events: [], encrypted_secret: 'another' }
      await webhook_endpoints.update({ ...row, ...moved })
    })
    const [claimed] = await store.claimDeliveries(claimRequest)
    expect(claimed?.endpoint).toEqual(await find(store, here, 'webhook_endpoints', 'we'))
    expect(claimed?.endpoint.url).toBe('https://moved.example/')
  })

  it('holds its lease until that expires in real time, and raises the fencing token by one each time', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', [0])
    expect(await claim(store)).toHaveLength(1)
    const during = { at: minute(9_999), real_at: shifted(minute(101), -1) }
    expect(await claim(store, during)).toEqual([])
    const over = await claim(store, { real_at: minute(101), lease_until: minute(102) })
    expect(over.map((claimed) => claimed.delivery.lease)).toEqual([3])
  })
}

function itIsFair(opened: () => OpenedStore): void {
  it('takes the deliveries of an endpoint in the order they fell due, whenever they were created', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', [-1, -5, -3, -2, -4])
    expect(idsOf(await claim(store, { limit: 2 }))).toEqual(['we 01', 'we 04'])
    expect(idsOf(await claim(store, { limit: 2 }))).toEqual(['we 02', 'we 03'])
    expect(idsOf(await claim(store, { limit: 2 }))).toEqual(['we 00'])
  })

  it('takes at most `limit`', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', [0, 0, 0, 0])
    expect(await claim(store, { limit: 3 })).toHaveLength(3)
    expect(await claim(store, { limit: 3 })).toHaveLength(1)
  })

  it('takes the endpoints of a workspace in turn, so that a flooded one starves no other', async () => {
    const { store } = opened()
    const long_due = Array.from({ length: 60 }, (_, index) => index - 100)
    await seedQueue(store, here, 'flooded', long_due)
    await seedQueue(store, here, 'small', [-3, -2, -1])
    await seedQueue(store, live, 'other', [-2, -1])
    const first = await claim(store)
    expect(endpointsOf(first)).toEqual({ flooded: 5, small: 3, other: 2 })
    await seedQueue(store, here, 'newcomer', [0, 0, 0])
    for (const claimed of first.filter(({ endpoint }) => endpoint.id === 'flooded').slice(0, 2))
      await finish(store, claimed)
    // The flooded endpoint still holds three leases: an endpoint that holds none comes first, however new.
    expect(endpointsOf(await claim(store))).toEqual({ newcomer: 2 })
  })

  it('does not count the leases in `ended` towards the turns of their endpoint', async () => {
    const { store } = opened()
    const eightFrom = (minutes: number) => Array.from({ length: 8 }, (_, index) => minutes + index)
    await seedQueue(store, here, 'older', eightFrom(-100))
    await seedQueue(store, here, 'younger', eightFrom(-50))
    const first = await claim(store)
    expect(endpointsOf(first)).toEqual({ older: 5, younger: 5 })
    const ended = first
      .filter(({ endpoint }) => endpoint.id === 'younger')
      .map(({ delivery: leased }) => leased)
    expect(endpointsOf(await claim(store, { limit: 1, ended }))).toEqual({ younger: 1 })
  })

  it('takes endpoints in turn across workspaces, so that one whose receivers hang holds up no other', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'hanging', Array(12).fill(-100))
    const first = (await claim(store)).map(({ delivery: leased }) => leased)
    expect(first).toHaveLength(10)
    await seedQueue(store, elsewhere, 'newcomer', [0])
    // One place is free in a workspace that holds nine leases: one that holds none comes first, however new.
    const next = await claim(store, { limit: 1, ended: first.slice(0, 1) })
    expect(endpointsOf(next)).toEqual({ newcomer: 1 })
  })
}

function itExcludes(opened: () => OpenedStore): void {
  it('gives every delivery to one claim only, however many run at once', async () => {
    const { store } = opened()
    for (const workspace of ['a', 'b', 'c'])
      await seedQueue(store, { workspace, livemode: false }, 'we', Array(10).fill(0))
    const claims = Array.from({ length: 12 }, () => claim(store, { limit: 4 }))
    const claimed = (await Promise.all(claims)).flat()
    const names = claimed.map(({ delivery: { workspace, id } }) => `${workspace} ${id}`)
    expect(new Set(names).size).toBe(30)
    expect(names).toHaveLength(30)
  })

  it('leaves alone a delivery that a unit of work has locked and cancels meanwhile', async () => {
    const { store } = opened()
    await seedQueue(store, here, 'we', [0])
    const claims: Promise<ClaimedDelivery[]>[] = []
    await commit(store, here, async (tx) => {
      const row = await tx.deliveries.lock('we 00')
      // Not awaited here: a claim may wait for the unit, or skip the row.
      claims.push(claim(store))
      for (let turn = 0; turn < 5; turn += 1) await turnOfTheLoop()
      if (row !== undefined) await tx.deliveries.update({ ...row, status: 'canceled', next_attempt_at: null })
    })
    const claimed = (await Promise.all(claims)).flat()
    // Between two runs of the unit nobody has the lock, and a claim that began during an earlier run may get the delivery.
    expect(claimed.length, 'claimed, of as many as the unit had runs').toBeLessThan(claims.length)
    const row = await find(store, here, 'deliveries', 'we 00')
    expect(row).toMatchObject({ status: 'canceled', lease: 1 + claimed.length })
  })
}
