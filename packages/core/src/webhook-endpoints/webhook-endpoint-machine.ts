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
  const { status, quiet_since, exhausted_created_at, last_failure_at } = endpoint
  if (status !== 'enabled' || exhausted_created_at === null || last_failure_at === null) return false
  const three_days_ago = shifted(now, -pause_after_ms)
  return (
    quiet_since <= three_days_ago &&
    exhausted_created_at <= three_days_ago &&
    last_failure_at > three_days_ago
  )
}

/**
 * When the sweep should judge the endpoint next: the first moment at which the pause could be due if nothing else
 * happens. Null once that moment has passed without a pause: then only another failure can make one due.
 */
export function nextPauseJudgement(endpoint: WebhookEndpointRow, now: string): string | null {
  const { status, quiet_since, exhausted_created_at, last_failure_at } = endpoint
  if (status !== 'enabled' || exhausted_created_at === null || last_failure_at === null) return null
  const due = shifted(later(quiet_since, exhausted_created_at), pause_after_ms)
  return due > now && due < shifted(last_failure_at, pause_after_ms) ? due : null
}
