import { delays_ms, three_days_ms } from '../invariants/deliveries.ts'
import type { Model, ModelDelivery, ModelEndpoint } from './model.ts'

export function dueDeliveries(model: Model, now_ms: number): ModelDelivery[] {
  return model.deliveries.filter(({ status, next_ms }) => status === 'pending' && next_ms <= now_ms)
}

export function moveDelivery(delivery: ModelDelivery, error: string | null, now_ms: number): void {
  const delay_ms = delays_ms[delivery.attempts]
  delivery.attempts += 1
  if (error === null) delivery.status = 'succeeded'
  else if (delay_ms === undefined) delivery.status = 'exhausted'
  else delivery.next_ms = now_ms + delay_ms
}

/** Whether the endpoint had no 2xx for three days, and a delivery created before them is exhausted. */
export function mayPause(model: Model, endpoint: ModelEndpoint, now_ms: number): boolean {
  const since_ms = now_ms - three_days_ms
  const ran_out = model.deliveries.some(
    (one) => one.endpoint === endpoint.id && one.status === 'exhausted' && one.created_ms <= since_ms,
  )
  return endpoint.status === 'enabled' && endpoint.quiet_ms <= since_ms && ran_out
}

/** From now on, nothing is sent to the endpoint. */
export function silence(model: Model, endpoint: ModelEndpoint): void {
  endpoint.status = 'disabled'
  for (const delivery of model.deliveries)
    if (delivery.endpoint === endpoint.id && delivery.status === 'pending') delivery.status = 'canceled'
}
