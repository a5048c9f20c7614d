import { fail } from '../errors/domain-error.ts'
import { ok } from '../kernel/result.ts'
import { type Transition, transitionFor } from '../kernel/transitions.ts'
import { hour_ms, minute_ms, shifted } from '../schema/timestamps.ts'
import type { DeliveryRow, DeliveryStatus } from './delivery.ts'

export type DeliveryTrigger = '2xx' | 'failure' | 'eighth failure' | 'endpoint disabled'

/** The specification's table (States and transitions: Delivery). */
export const deliveryTransitions = [
  { from: 'pending', on: '2xx', to: 'succeeded' },
  { from: 'pending', on: 'eighth failure', to: 'exhausted' },
  { from: 'pending', on: 'endpoint disabled', to: 'canceled' },
  // Between two attempts.
  { from: 'pending', on: 'failure', to: 'pending' },
] as const satisfies readonly Transition<DeliveryStatus, DeliveryTrigger>[]

/** Pauses before attempts 2 to 8, counted from the end of the failed one (specification: Retries and ordering). */
export const retry_delays_ms = [
  1 * minute_ms,
  5 * minute_ms,
  30 * minute_ms,
  2 * hour_ms,
  6 * hour_ms,
  12 * hour_ms,
  24 * hour_ms,
] as const

/** The outcome of an attempt: the status the endpoint answered, if any, and the error (null after a 2xx). */
export interface Attempt {
  started_at: string
  ended_at: string
  response_status: number | null
  error: string | null
}

/**
 * The delivery after an attempt. If its endpoint was disabled meanwhile, a 2xx still counts and a failure cancels the
 * delivery; the eighth failure exhausts it in either case.
 */
export function decideAttempt(delivery: DeliveryRow, attempt: Attempt) {
  const attempted: DeliveryRow = {
    ...delivery,
    attempt_count: delivery.attempt_count + 1,
    last_attempt_at: attempt.started_at,
    last_response_status: attempt.response_status,
    last_error: attempt.error,
  }
  if (attempt.error === null) return moved(attempted, '2xx', null)
  const delay_ms = retry_delays_ms[attempted.attempt_count - 1]
  if (delay_ms === undefined) return moved(attempted, 'eighth failure', null)
  if (delivery.stopped) return moved(attempted, 'endpoint disabled', null)
  return moved(attempted, 'failure', shifted(attempt.ended_at, delay_ms))
}

/** The delivery after its endpoint was disabled. If an attempt is on the wire, that attempt decides, and is the last. */
export function stopDelivery(delivery: DeliveryRow, real_now: string) {
  const on_the_wire = delivery.lease_until !== null && delivery.lease_until > real_now
  return on_the_wire ? ok<DeliveryRow>({ ...delivery, stopped: true }) : cancelDelivery(delivery)
}

/** The delivery after a lease without an attempt. */
export function releaseDelivery(delivery: DeliveryRow) {
  return delivery.stopped ? cancelDelivery(delivery) : ok<DeliveryRow>({ ...delivery, lease_until: null })
}

function cancelDelivery(delivery: DeliveryRow) {
  return moved(delivery, 'endpoint disabled', null)
}

function moved(delivery: DeliveryRow, trigger: DeliveryTrigger, next_attempt_at: string | null) {
  const transition = transitionFor(deliveryTransitions, delivery.status, trigger)
  if (!transition) return fail('conflict')
  const { to: status } = transition
  const pending_of = status === 'pending' ? delivery.pending_of : null
  return ok<DeliveryRow>({ ...delivery, status, pending_of, next_attempt_at, lease_until: null })
}
