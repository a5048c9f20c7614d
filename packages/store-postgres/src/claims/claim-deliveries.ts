import type { ClaimedDelivery, Lease, Store } from '@quittance/core'
import { ClaimWindow, type SqlRow, type Statements } from '@quittance/store-sql'
import type { Connections } from '../connections.ts'
import { isLocked } from '../faults.ts'
import type { Command } from '../units/batch.ts'
import { inOneTrip, patient } from '../units/one-trip.ts'
import { retrying } from '../units/retrying.ts'
import { claimStatements } from './claim-statements.ts'

/**
 * How long a claim waits in all for other claims, which take milliseconds, and for changes of endpoints, which may be in long
 * transactions of the host: meanwhile what is filed in other workspaces waits, too.
 */
const patience_ms = 1_000

interface Claiming {
  connections: Connections
  schema: string
  statements: Statements
}

/**
 * A claim is one round trip: Postgres itself chooses the workspaces, locks them and takes their deliveries, so that a process
 * that freezes holds no lock of a claim. Only if it got nothing does a claim wait for the workspaces in which somebody else is
 * leasing, each in a transaction of its own: what is leased is sent at once, whatever another workspace waits for.
 */
export function deliveryClaims({
  connections,
  schema,
  statements: tables,
}: Claiming): Store['claimDeliveries'] {
  const statements = claimStatements(schema)
  const settings = { statement: statements.settings, values: [] }
  const window = new ClaimWindow()

  /** An endpoint comes with the first of its rows, if it exists at all. */
  function claimed(rows: readonly SqlRow[]): ClaimedDelivery[] {
    const endpoints = new Map<string, ClaimedDelivery['endpoint']>()
    return rows.flatMap((row) => {
      const delivery = tables.table('deliveries').codec.decodeJoined(row)
      const name = `${delivery.workspace} ${delivery.livemode} ${delivery.endpoint}`
      if (row['webhook_endpoints.id'] !== null)
        endpoints.set(name, tables.table('webhook_endpoints').codec.decodeJoined(row))
      const endpoint = endpoints.get(name)
      return endpoint ? [{ delivery, endpoint, body: String(row.body), ahead: row.ahead === true }] : []
    })
  }

  async function attempt(locking: readonly Command[], take: Command) {
    // A claim whose answer is lost is repeated. What the lost one leased is free again when its lease ends.
    const answers = await retrying(() =>
      connections.using((client) => inOneTrip(client, [settings, ...locking, take])),
    )
    const [locked, taken = []] = answers.slice(-2)
    return { busy: locked?.[0]?.busy, steps: Number(locked?.[0]?.steps ?? 0), deliveries: claimed(taken) }
  }

  /** Returns nothing if the workspace cannot be locked in this time. */
  async function waitFor(workspace: string, wait_ms: number, take: Command) {
    const wait = { statement: patient, values: [wait_ms] }
    const lock_one = { statement: statements.lockOne, values: [schema, workspace] }
    const reach_one = { statement: statements.reachOne, values: [workspace] }
    try {
      return (await attempt([wait, lock_one, reach_one], take)).deliveries
    } catch (fault) {
      // Somebody still holds the lock. The next sweep looks for its deliveries again.
      if (isLocked(fault)) return []
      throw fault
    }
  }

  return async (request) => {
    const { at, real_at, lease_until, limit, per_workspace, reserved } = request
    const ended = JSON.stringify(request.ended.map(leaseOf))
    const ahead = JSON.stringify(request.ahead)
    const lock_free = {
      statement: statements.lockFree,
      values: [at, real_at, limit, per_workspace, schema, ended, reserved, window.size],
    }
    const take = {
      statement: statements.take,
      values: [at, real_at, lease_until, limit, per_workspace, ended, reserved, ahead],
    }
    let { busy, steps, deliveries } = await attempt([lock_free], take)
    window.adapt(steps)
    const until_ms = performance.now() + patience_ms
    for (const workspace of JSON.parse(String(busy ?? '[]')) as string[]) {
      if (deliveries.length > 0) break
      // A `lock_timeout` of 0 is no limit. Once patience is over, the remaining workspaces are still tried, for 1 ms each.
      const left_ms = Math.max(1, Math.ceil(until_ms - performance.now()))
      deliveries = await waitFor(workspace, left_ms, take)
    }
    return deliveries
  }
}

/** Only what names the lease: `ended` may hold whole deliveries, bodies included. */
const leaseOf = ({ workspace, livemode, id, lease }: Lease): Lease => ({ workspace, livemode, id, lease })
