import type { ClaimedDelivery, Scope } from '../ports/store.ts'
import type { OpenSecret } from './open-secrets.ts'

/** A delivery that this process has leased. */
export interface LeasedDelivery extends Scope {
  id: string
  event: string
  endpoint: string
  lease: number
  /** Real time until which nobody else sends it. */
  lease_until: string
  url: string
  /** The signing secret, in the clear. Null where it cannot be opened: the delivery is not sent, and released later. */
  secret: string | null
  body: string
  /** When its endpoint was last edited, disabled or paused: `unchanged` checks that it has not been since. */
  endpoint_changed_at: string
  /** Leased ahead: sent only when another attempt to its endpoint has ended, in that one's place. */
  ahead: boolean
  /** Its endpoint was disabled while a process that died held its lease: it is to be released, which cancels it. */
  stopped: boolean
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
