import { type ClaimRequest, type Lease, type Scope, type Store, shifted } from '@quittance/core'
import fc from 'fast-check'
import { expect } from 'vitest'
import { it } from '../suite.ts'
import { claim, claimRequest, delivery, minute, seedQueue } from './claiming.ts'
import type { OpenedStore } from './open-store.ts'
import { commit, rowsOf, seed } from './opened.ts'

interface Endpoint extends Scope {
  name: string
  is_enabled: boolean
  /** How many more of its deliveries are leased ahead for each that is taken. */
  rounds: number
  queue: { id: string; due: string; created_at: string; held: Held }[]
}

/** How a delivery is leased, and whether the request lists its lease in `ended`. */
interface Held {
  lease: 'none' | 'live' | 'over'
  is_listed: boolean
}
const holding = fc.record<Held>({
  lease: fc.constantFrom('none', 'none', 'live', 'over'),
  is_listed: fc.boolean(),
})
const minutes = fc.integer({ min: -3, max: 1 })

const names = ['a', 'b', 'c', 'live a', 'live b']

/** With the same names in both environments of workspaces, and no two endpoints with deliveries due at the same time. */
const endpoints = fc.tuple(
  ...[names, names, ['a'], ['a'], ['a']].flatMap((of_names, of_workspace) =>
    of_names.map((full_name, of_name): fc.Arbitrary<Endpoint> => {
      const name = full_name.replace('live ', '')
      const scope = { workspace: `workspace ${of_workspace}`, livemode: full_name !== name }
      const waiting = fc.tuple(minutes, minutes, holding)
      const queue = fc.array(waiting, { maxLength: 5 })
      const rounds = fc.integer({ min: 0, max: 2 })
      return fc.record({ is_enabled: fc.boolean(), rounds, queue }).map((drawn) => ({
        ...scope,
        ...drawn,
        name,
        queue: drawn.queue.map(([due, created, held], index) => ({
          id: `${name} ${index}`,
          held,
          created_at: minute(created),
          due: shifted(minute(due), -10 * of_workspace - of_name),
        })),
      }))
    }),
  ),
)
const limits = fc.record({
  // Before some of the deliveries that are due in the same minute, and after the rest.
  at: fc.integer({ min: -15, max: 0 }).map((after_ms) => shifted(minute(0), after_ms)),
  lease_until: fc.integer({ min: 1, max: 999 }).map((later_ms) => shifted(minute(101), later_ms)),
  limit: fc.integer({ min: 1, max: 12 }),
  per_workspace: fc.integer({ min: 1, max: 12 }),
  reserved: fc.integer({ min: 0, max: 3 }),
})

export function itIsAsModelled(opened: () => OpenedStore): void {
  it('takes and leases ahead exactly what a plain model does, whatever is due, leased, ended or enabled', async () => {
    const { store } = opened()
    await fc.assert(
      fc.asyncProperty(endpoints, limits, async (drawn, limited) => {
        await fill(store, drawn)
        try {
          const request = { ...claimRequest, ...limited, ended: endedOf(drawn), ahead: aheadOf(drawn) }
          const claimed = await claim(store, request)
          const named = (isAhead: boolean) =>
            claimed.filter(({ ahead }) => ahead === isAhead).map(({ delivery: one }) => nameOf(one, one.id))
          const { taken, ahead } = modelled(drawn, request)
          expect(named(false)).toEqual(taken)
          expect(named(true)).toEqual(ahead)
          for (const { delivery: one } of claimed) expect(one.lease_until).toBe(request.lease_until)
        } finally {
          await empty(store, drawn)
        }
      }),
      { numRuns: 40 },
    )
  })
}

/** Takes deliveries one by one, each from the endpoint whose turn it is; then leases ahead from the endpoints it took from. */
function modelled(drawn: readonly Endpoint[], { at, limit, per_workspace, reserved }: ClaimRequest) {
  const queues = drawn.map(({ queue, ...endpoint }) => ({
    ...endpoint,
    taken: 0,
    live: queue.filter(({ held }) => held.lease === 'live' && !held.is_listed).length,
    waiting: queue
      .filter(({ held, due }) => due <= at && held.lease !== 'live')
      .sort((one, other) => compare(one.due, other.due) || compare(one.id, other.id)),
  }))
  const mayTake = ({ workspace, live, waiting }: (typeof queues)[number]) => {
    const all = queues.filter((queue) => queue.workspace === workspace)
    const room = all.reduce((left, queue) => left - queue.live, per_workspace)
    const idle = all.filter((queue) => queue.is_enabled && queue.live === 0 && queue.waiting.length === 0)
    return waiting.length > 0 && room > (live === 0 ? 0 : Math.min(reserved, idle.length))
  }
  const taken: string[] = []
  while (taken.length < limit) {
    const [next] = queues
      .filter(mayTake)
      .sort((one, other) => one.live - other.live || compare(one.waiting[0]?.due, other.waiting[0]?.due))
    const first = next?.waiting.shift()
    if (next === undefined || first === undefined) break
    next.live += 1
    next.taken += 1
    taken.push(nameOf(next, first.id))
  }
  const ahead = queues.flatMap((queue) =>
    queue.waiting
      .slice(0, queue.taken * queue.rounds)
      .map(({ id, due }, index) => ({ name: nameOf(queue, id), turn: queue.live + index, due })),
  )
  ahead.sort((one, other) => one.turn - other.turn || compare(one.due, other.due))
  return { taken, ahead: ahead.map(({ name }) => name) }
}

async function fill(store: Store, drawn: readonly Endpoint[]): Promise<void> {
  for (const { name, is_enabled, queue, ...scope } of drawn) {
    await seedQueue(store, scope, name, [])
    if (!is_enabled)
      await commit(store, scope, async (tx) => {
        const row = await tx.webhook_endpoints.lock(name)
        if (row !== undefined) await tx.webhook_endpoints.update({ ...row, status: 'disabled' })
      })
    const until = { none: null, live: minute(101), over: minute(100) }
    const rows = queue.map(({ id, due, created_at, held }) =>
      delivery(scope, name, id, { next_attempt_at: due, created_at, lease_until: until[held.lease] }),
    )
    await seed(store, scope, rowsOf('deliveries', rows))
  }
}

async function empty(store: Store, drawn: readonly Endpoint[]): Promise<void> {
  for (const { name, queue, ...scope } of drawn) {
    await commit(store, scope, async (tx) => {
      for (const { id } of queue) await tx.deliveries.delete(id)
      await tx.events.delete(`event of ${name}`)
      await tx.webhook_endpoints.delete(name)
    })
  }
}

const nameOf = ({ workspace, livemode }: Scope, id: string) => `${workspace} ${livemode} ${id}`

const compare = (one = '', other = '') => (one < other ? -1 : Number(one > other))

function aheadOf(drawn: readonly Endpoint[]): ClaimRequest['ahead'] {
  return drawn.flatMap(({ workspace, livemode, name, rounds }) =>
    rounds === 0 ? [] : [{ workspace, livemode, endpoint: name, rounds }],
  )
}

/** As `delivery` makes them: some are over, or recorded already. */
function endedOf(drawn: readonly Endpoint[]): Lease[] {
  return drawn.flatMap(({ workspace, livemode, queue }) =>
    queue
      .filter(({ held }) => held.is_listed)
      .map(({ id }) => ({
        workspace,
        livemode,
        id,
        lease: delivery({ workspace, livemode }, '', id, {}).lease,
      })),
  )
}
