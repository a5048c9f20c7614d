import type { ClaimedDelivery, Scope } from '../ports/store.ts'
import { iso, second_ms } from '../schema/timestamps.ts'
import type { OpenSecret } from './open-secrets.ts'

/** How many deliveries of a workspace run at a time, over all processes (specification: Limits). */
const parallel_per_workspace = 10

/** Of those, reserved for endpoints that have none running, so that slow receivers leave room for the others. */
const reserved_per_workspace = 2

/** How long a delivery is leased: longer than the 15 s an attempt can take, with room for a slow commit. */
export const delivery_lease_ms = 30 * second_ms

/** A delivery that this process has leased. */
export interface LeasedDelivery extends Scope {
  id: string
  event: string
  endpoint: string
  lease: number
  /** Real time until which nobody else sends it. */
  lease_until: string
  url: string
  /** The signing secret, in the clear. Null if it cannot be opened: the delivery is not sent, and released later. */
  secret: string | null
  body: string
  /** When its endpoint was last edited, disabled or paused: `unchanged` checks that it has not been since. */
  endpoint_changed_at: string
  /** Leased ahead: sent only when another attempt to its endpoint has ended, in the place of that attempt. */
  ahead: boolean
  /** Its endpoint was disabled while a process that died held its lease: it is to be released, which cancels it. */
  stopped: boolean
}

/** The lease that a claim at this moment of real time takes, and how many a workspace may have. */
export function leasing(real_now_ms: number) {
  return {
    real_at: iso(real_now_ms),
    lease_until: iso(real_now_ms + delivery_lease_ms),
    per_workspace: parallel_per_workspace,
    reserved: reserved_per_workspace,
  }
}

export function toLeased(
  { delivery, endpoint, ...claimed }: ClaimedDelivery,
  lease_until: string,
  secretOf: OpenSecret,
): LeasedDelivery {
  const { workspace, livemode, id, event, lease } = delivery
  const { url, changed_at: endpoint_changed_at } = endpoint
  const stopped = delivery.stopped || endpoint.status === 'disabled'
  const to = { endpoint: endpoint.id, url, secret: secretOf(endpoint), endpoint_changed_at }
  return { workspace, livemode, id, event, lease, lease_until, stopped, ...to, ...claimed }
}
