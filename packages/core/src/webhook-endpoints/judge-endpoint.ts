import type { Unit } from '../kernel/operation.ts'
import { cancelPending } from './cancel-pending.ts'
import type { WebhookEndpointRow } from './webhook-endpoint.ts'
import { decideEndpoint, isPauseDue, nextPauseJudgement } from './webhook-endpoint-machine.ts'

/**
 * Saves an endpoint after an attempt or when it is due, and pauses it if the automatic pause is due (specification:
 * Automatic pause). Gives the paused endpoint; null if it was not paused now.
 */
export async function judgeEndpoint(
  unit: Unit,
  endpoint: WebhookEndpointRow,
): Promise<WebhookEndpointRow | null> {
  const paused = isPauseDue(endpoint, unit.now) ? decideEndpoint(endpoint, 'automatic pause', unit.now) : null
  if (paused?.isOk()) {
    await unit.tx.lockScope('exclusive')
    await unit.tx.webhook_endpoints.update(paused.value)
    await cancelPending(unit, paused.value)
    return paused.value
  }
  await unit.tx.webhook_endpoints.update({ ...endpoint, due_at: nextPauseJudgement(endpoint, unit.now) })
  return null
}
