import type { Context } from '../kernel/operation.ts'
import type { DeliveryRow } from './delivery.ts'

/** A delivery that is due at once. */
export function newDelivery(
  { scope, ids, now }: Pick<Context, 'scope' | 'ids' | 'now'>,
  { event, endpoint, origin }: Pick<DeliveryRow, 'event' | 'endpoint' | 'origin'>,
): DeliveryRow {
  return {
    ...scope,
    id: ids.uuid(Date.parse(now)),
    event,
    endpoint,
    origin,
    status: 'pending',
    attempt_count: 0,
    created_at: now,
    last_attempt_at: null,
    next_attempt_at: now,
    last_response_status: null,
    last_error: null,
    emit_of: origin === 'emit' ? event : null,
    pending_of: event,
    lease: 0,
    lease_until: null,
    stopped: false,
  }
}
