import type { WebhookEndpointRow } from '../../webhook-endpoints/webhook-endpoint.ts'
import { endpoint_limit } from '../../webhook-endpoints/webhook-endpoint.ts'
import { inItsEnvironment, notOverdue } from './any-row.ts'
import { type Around, check } from './check.ts'
import type { Report } from './violation.ts'

export const webhookEndpoints = check(
  'webhook_endpoints',
  [],
  inItsEnvironment,
  notOverdue,
  checkListed,
  checkSecret,
)

/** M41: a deleted endpoint stays disabled, and takes no place among the others. */
function checkListed({ listed, status, slot }: WebhookEndpointRow, _: Around, report: Report): void {
  if (!listed && status !== 'disabled') report('M41', `is deleted and ${status}`)
  if (listed !== (slot !== null)) report('M41', `is ${listed ? 'listed' : 'deleted'} and its slot is ${slot}`)
  if (slot !== null && !(slot >= 1 && slot <= endpoint_limit)) report('M41', `has the slot ${slot}`)
}

/** M37: what goes to it can be signed. Nothing goes to a deleted one any more. */
function checkSecret(
  { listed, encrypted_secret }: WebhookEndpointRow,
  { opens }: Around,
  report: Report,
): void {
  if (listed && !opens(encrypted_secret)) report('M37', 'its secret does not open with this `secret`')
}
