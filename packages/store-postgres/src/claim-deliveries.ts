import type { ClaimedDelivery, ClaimRequest, Store } from '@quittance/core'
import type { SqlRow, Statements } from '@quittance/store-sql'
import type { Command } from './batch.ts'
import { claimStatements } from './claim-statements.ts'
import type { Connections } from './connections.ts'
import { inOneTrip } from './one-trip.ts'
import { retrying } from './retrying.ts'

interface Claiming {
  connections: Connections
  schema: string
  statements: Statements
}

/**
 * A claim is one round trip: Postgres itself chooses the workspaces, locks them and takes their deliveries, so that a
 * process that freezes holds no lock. Workspaces that another claim is serving come last, each in a transaction of its
 * own, so that no workspace waits for another.
 */
export function deliveryClaims({
  connections,
  schema,
  statements: tables,
}: Claiming): Store['claimDeliveries'] {
  const statements = claimStatements(schema)
  const plan = { statement: statements.plan, values: [] }
  const claimed = (row: SqlRow): ClaimedDelivery => ({
    delivery: tables.table('deliveries').codec.decodeJoined(row),
    endpoint: tables.table('webhook_endpoints').codec.decodeJoined(row),
    body: String(row.body),
  })

  async function attempt(lock: Command, request: ClaimRequest) {
    const { at, real_at, lease_until, limit, per_workspace } = request
    const take = { statement: statements.take, values: [at, real_at, lease_until, limit, per_workspace] }
    // A claim whose answer is lost is repeated. What the lost one leased is free again when its lease ends.
    const [, locked, taken = []] = await retrying(() =>
      connections.using((client) => inOneTrip(client, [plan, lock, take])),
    )
    return { busy: locked?.[0]?.busy, deliveries: taken.map(claimed) }
  }

  return async (request) => {
    const { at, real_at, limit, per_workspace } = request
    const lock_free = { statement: statements.lockFree, values: [at, real_at, limit, per_workspace, schema] }
    const { busy, deliveries } = await attempt(lock_free, request)
    for (const workspace of JSON.parse(String(busy ?? '[]')) as string[]) {
      const left = limit - deliveries.length
      if (left === 0) break
      const lock_one = { statement: statements.lockOne, values: [schema, workspace] }
      deliveries.push(...(await attempt(lock_one, { ...request, limit: left })).deliveries)
    }
    return deliveries
  }
}
