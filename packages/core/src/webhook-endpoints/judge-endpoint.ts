import type { Unit } from '../kernel/operation.ts'
import { cancelPending } from './cancel-pending.ts'
import type { WebhookEndpointRow } from './webhook-endpoint.ts'
import { decideEndpoint, isPauseDue, nextPauseJudgement } from './webhook-endpoint-machine.ts'

/**
 * Saves an endpoint after an attempt or when it is due, and returns it as saved: paused if the automatic pause is due
 * (specification: Automatic pause).
 */
export async function judgeEndpoint(unit: Unit, endpoint: WebhookEndpointRow): Promise<WebhookEndpointRow> {
  const judged = await judge(unit, endpoint)
  await unit.tx.webhook_endpoints.update(judged)
  return judged
}

async function judge(unit: Unit, endpoint: WebhookEndpointRow): Promise<WebhookEndpointRow> {
  const { status, due_at } = endpoint
  if (status === 'disabled') return due_at === null ? endpoint : silence(unit, endpoint)
  if (!isPauseDue(endpoint, unit.now)) return { ...endpoint, due_at: nextPauseJudgement(endpoint, unit.now) }
  return silence(unit, decideEndpoint(endpoint, 'automatic pause', unit.now).unwrapOr(endpoint))
}

/** With the scope locked, as wherever an endpoint stops: no delivery is filed to it meanwhile. */
async function silence(unit: Unit, endpoint: WebhookEndpointRow): Promise<WebhookEndpointRow> {
  await unit.tx.lockScope('exclusive')
  return cancelPending(unit, endpoint)
}
