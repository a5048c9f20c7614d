import {
  type ClaimedDelivery,
  type ClaimRequest,
  type LeaseRequest,
  type Scope,
  type Store,
  shifted,
  type Tables,
  type Transaction,
} from '@quittance/core'
import { expect } from 'vitest'
import { commit, rowsOf, seed } from './opened.ts'
import { at, sampleRow } from './sample-row.ts'

export const minute = (minutes: number) => shifted(at, minutes * 60_000)
/** The plainest claim, in the middle of the suite's time. */
export const claimRequest: ClaimRequest = {
  at,
  real_at: minute(100),
  lease_until: minute(101),
  limit: 100,
  per_workspace: 10,
  reserved: 2,
  ended: [],
  ahead: [],
}

/** An endpoint, an event, and a delivery for each of the times, in minutes from `at`. */
export function seedQueue(
  store: Store,
  scope: Scope,
  endpoint: string,
  minutes: readonly number[],
): Promise<void> {
  const rows = minutes.map((when, index) =>
    delivery(scope, endpoint, `${endpoint} ${String(index).padStart(2, '0')}`, {
      next_attempt_at: minute(when),
      // Not in the order in which they are due, as when some are retries.
      created_at: minute(-1_000 - when),
    }),
  )
  return seed(store, scope, [
    [
      'webhook_endpoints',
      sampleRow('webhook_endpoints', scope, endpoint, { listed: true, url: urlOf(scope, endpoint) }),
    ],
    ['events', sampleRow('events', scope, `event of ${endpoint}`, { body: bodyOf(scope, endpoint) })],
    ...rowsOf('deliveries', rows),
  ])
}

/** Leases in another workspace, for longer than any test looks ahead. */
export function seedLeased(store: Store, count: number, next_attempt_at: string): Promise<void> {
  const scope = { workspace: 'a workspace that is busy', livemode: false }
  const rows = Array.from({ length: count }, (_, index) =>
    delivery(scope, 'we', `leased ${index}`, { next_attempt_at, lease_until: minute(99_999) }),
  )
  return seed(store, scope, rowsOf('deliveries', rows))
}

export function delivery(scope: Scope, endpoint: string, id: string, columns: Partial<Tables['deliveries']>) {
  return sampleRow('deliveries', scope, id, {
    endpoint,
    event: `event of ${endpoint}`,
    next_attempt_at: at,
    ...columns,
  })
}

/** A claim as `claimRequest` with `changes`. Every delivery must come with the event and endpoint that belong to it. */
export async function claim(store: Store, changes: Partial<ClaimRequest> = {}): Promise<ClaimedDelivery[]> {
  const all = await store.claimDeliveries({ ...claimRequest, ...changes })
  for (const { delivery: own, endpoint, body } of all) {
    const { workspace, livemode, id, url } = endpoint
    const expected = { workspace: own.workspace, livemode: own.livemode, id: own.endpoint }
    expect({ workspace, livemode, id, url, body }, `what was claimed with ${own.id}`).toEqual({
      ...expected,
      url: urlOf(own, own.endpoint),
      body: bodyOf(own, own.endpoint),
    })
  }
  return all
}

/** No two scopes have the same URL, so that a row of another scope shows. */
function urlOf({ workspace, livemode }: Scope, endpoint: string): string {
  return `https://${workspace}.example/${livemode ? 'live' : 'sandbox'}/${endpoint}`
}

/** As no serializer writes it: a body that is parsed and serialized again has other bytes. */
export function bodyOf(scope: Scope, endpoint: string): string {
  const url = urlOf(scope, endpoint)
  return `{ "body of":"${endpoint} 🧾 é \\u00e9 \\/","sent to":"${url}", "10":1.0,"9":1e2 }\r\n `
}

/** Files deliveries, and leases them in the same unit. */
export async function lease(
  tx: Transaction,
  scope: Scope,
  ids: readonly string[],
  changes: Partial<LeaseRequest> = {},
): Promise<boolean> {
  for (const id of ids) await tx.deliveries.insert(delivery(scope, 'we', id, { lease_until: null }))
  const { real_at, lease_until, per_workspace } = claimRequest
  return tx.leaseDeliveries({ ids, real_at, lease_until, per_workspace, ...changes })
}

export function finish(store: Store, claimed: ClaimedDelivery): Promise<void> {
  return record(store, claimed, { status: 'succeeded', next_attempt_at: null })
}

/** Records that the attempt failed, with a retry later than any test claims. */
export function retry(store: Store, claimed: ClaimedDelivery): Promise<void> {
  return record(store, claimed, { next_attempt_at: minute(99_999) })
}

function record(
  store: Store,
  { delivery: { id, ...row } }: ClaimedDelivery,
  outcome: Partial<Tables['deliveries']>,
): Promise<void> {
  return commit(store, row, async (tx) => tx.deliveries.update({ ...row, id, ...outcome, lease_until: null }))
}

export const idsOf = (claimed: readonly ClaimedDelivery[]) => claimed.map(({ delivery: { id } }) => id)

/** How many deliveries of each endpoint. */
export function endpointsOf(claimed: ClaimedDelivery[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { endpoint } of claimed) counts[endpoint.id] = (counts[endpoint.id] ?? 0) + 1
  return counts
}
