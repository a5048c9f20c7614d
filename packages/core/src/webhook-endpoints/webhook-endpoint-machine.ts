import { fail } from '../errors/domain-error.ts'
import { ok } from '../kernel/result.ts'
import { type Transition, transitionFor } from '../kernel/transitions.ts'
import { day_ms, later, shifted } from '../schema/timestamps.ts'
import type { EndpointStatus, WebhookEndpointRow } from './webhook-endpoint.ts'

export type EndpointTrigger = 'disable' | 'enable' | 'automatic pause'

/** The specification's table (States and transitions: Webhook endpoint). */
export const endpointTransitions = [
  { from: 'enabled', on: 'disable', to: 'disabled' },
  { from: 'disabled', on: 'enable', to: 'enabled' },
  { from: 'enabled', on: 'automatic pause', to: 'disabled' },
] as const satisfies readonly Transition<EndpointStatus, EndpointTrigger>[]

/** How long an endpoint may fail before it is paused. */
export const pause_after_ms = 3 * day_ms

/** The endpoint after a trigger; `conflict` if the table has no such row. */
export function decideEndpoint(endpoint: WebhookEndpointRow, trigger: EndpointTrigger, now: string) {
  const transition = transitionFor(endpointTransitions, endpoint.status, trigger)
  if (!transition) return fail('conflict')
  return ok<WebhookEndpointRow>({ ...endpoint, status: transition.to, changed_at: now, due_at: null })
}

/**
 * Whether the automatic pause is due: for three days no 2xx, edit or resume, and a delivery created before those days ran its
 * whole schedule. An attempt must also have failed within those days: an idle endpoint with an old failure is left alone.
 */
export function isPauseDue(endpoint: WebhookEndpointRow, now: string): boolean {
  const due = pauseOf(endpoint)
  return due !== null && due.from <= now && now < due.until
}

/** When the sweep should judge the endpoint next; null if only another failure can make the pause due. */
export function nextPauseJudgement(endpoint: WebhookEndpointRow, now: string): string | null {
  const due = pauseOf(endpoint)
  return due !== null && now < due.from && due.from < due.until ? due.from : null
}

/** From and until when the pause is due if nothing else happens; null if nothing has failed that could make it due. */
function pauseOf({ status, quiet_since, exhausted_created_at, last_failure_at }: WebhookEndpointRow) {
  if (status !== 'enabled' || exhausted_created_at === null || last_failure_at === null) return null
  return {
    from: shifted(later(quiet_since, exhausted_created_at), pause_after_ms),
    until: shifted(last_failure_at, pause_after_ms),
  }
}
