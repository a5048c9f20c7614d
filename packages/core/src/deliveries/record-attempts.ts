import type { Unit } from '../kernel/operation.ts'
import type { Lease, WriteTable } from '../ports/store.ts'
import { later } from '../schema/timestamps.ts'
import { judgeEndpoint } from '../webhook-endpoints/judge-endpoint.ts'
import type { WebhookEndpointRow } from '../webhook-endpoints/webhook-endpoint.ts'
import type { DeliveryRow } from './delivery.ts'
import { type Attempt, decideAttempt, releaseDelivery } from './delivery-machine.ts'

/** What became of a lease. `attempt` is null if it was released without one. */
export interface EndedLease {
  delivery: Lease & Pick<DeliveryRow, 'endpoint'>
  attempt: Attempt | null
}

/**
 * Records attempts of one workspace and environment in one unit of work. An attempt changes nothing if its lease
 * has passed to another process: the successor's attempt counts. Returns the endpoints that this paused, and the
 * deliveries whose leases were lost.
 */
export async function recordAttempts(unit: Unit, attempts: readonly EndedLease[]) {
  const paused: WebhookEndpointRow[] = []
  const lost: string[] = []
  // Every unit locks in this order: endpoints by id, then deliveries by id. Requested together, the locks take a remote store
  // one round trip.
  const [endpoints, deliveries] = await Promise.all([
    lockAll(
      unit.tx.webhook_endpoints,
      attempts.map(({ delivery }) => delivery.endpoint),
    ),
    lockAll(
      unit.tx.deliveries,
      attempts.map(({ delivery }) => delivery.id),
    ),
  ])
  for (const endpoint of endpoints.values()) {
    let history = endpoint
    for (const leased of attempts.filter(({ delivery }) => delivery.endpoint === endpoint.id)) {
      const { id, lease } = leased.delivery
      const current = deliveries.get(id)
      const recorded = recordOne(leased, current, endpoint)
      if (!recorded) {
        if (current?.lease !== lease) lost.push(id)
        continue
      }
      await unit.tx.deliveries.update(recorded)
      deliveries.set(recorded.id, recorded)
      history = withAttempt(history, recorded, leased.attempt)
    }
    const judged = history === endpoint ? endpoint : await judgeEndpoint(unit, history)
    if (judged.status !== endpoint.status) paused.push(judged)
  }
  return { paused, lost }
}

async function lockAll<Row extends { id: string }>(
  table: WriteTable<Row>,
  ids: readonly string[],
): Promise<Map<string, Row>> {
  const rows = await Promise.all([...new Set(ids)].sort().map((id) => table.lock(id)))
  return new Map(rows.flatMap((row) => (row ? [[row.id, row]] : [])))
}

/** The delivery after the attempt; null if its lease has passed on, or the attempt was recorded before. */
function recordOne(
  { delivery, attempt }: EndedLease,
  current: DeliveryRow | undefined,
  endpoint: WebhookEndpointRow,
): DeliveryRow | null {
  // Recording releases the lease, so that an attempt recorded twice, after a lost answer, counts once.
  if (!current || current.lease !== delivery.lease || current.lease_until === null) return null
  // A backlog is canceled in portions: a delivery that was on the wire may not have been marked as stopped yet.
  const stopped = current.stopped || endpoint.status === 'disabled'
  const leased = { ...current, stopped }
  const decided = attempt ? decideAttempt(leased, attempt) : releaseDelivery(leased)
  return decided.isOk() ? decided.value : null
}

/** The endpoint with what the automatic pause needs to know of this attempt. */
function withAttempt(
  endpoint: WebhookEndpointRow,
  delivery: DeliveryRow,
  attempt: Attempt | null,
): WebhookEndpointRow {
  if (attempt === null) return endpoint
  if (attempt.error === null)
    return { ...endpoint, quiet_since: later(endpoint.quiet_since, attempt.ended_at) }
  const { created_at, status } = delivery
  const oldest = endpoint.exhausted_created_at
  const exhausted = status === 'exhausted' && (oldest === null || created_at < oldest)
  return {
    ...endpoint,
    last_failure_at: later(endpoint.last_failure_at ?? attempt.ended_at, attempt.ended_at),
    exhausted_created_at: exhausted ? created_at : oldest,
  }
}
