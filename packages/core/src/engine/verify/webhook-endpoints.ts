import { endpointFields } from '../../webhook-endpoints/endpoint-input.ts'
import { endpoint_limit, type WebhookEndpointRow } from '../../webhook-endpoints/webhook-endpoint.ts'
import { inItsEnvironment, notOverdue, notPutOff } from './any-row.ts'
import { type Around, check } from './check.ts'
import type { Report } from './violation.ts'

export const webhookEndpoints = check(
  'webhook_endpoints',
  [],
  inItsEnvironment,
  notOverdue,
  notPutOff,
  checkListed,
  checkDestination,
  checkSecret,
)

/** M41: a deleted endpoint stays disabled, and takes no place among the others. */
function checkListed({ listed, status, slot }: WebhookEndpointRow, _: Around, report: Report): void {
  if (!listed && status !== 'disabled') report('M41', `is deleted and ${status}`)
  if (listed !== (slot !== null)) report('M41', `is ${listed ? 'listed' : 'deleted'} and its slot is ${slot}`)
  if (slot !== null && !(slot >= 1 && slot <= endpoint_limit)) report('M41', `has the slot ${slot}`)
}

/** M34: events can be posted to it, and it is subscribed to types that exist. */
function checkDestination({ url, enabled_events }: WebhookEndpointRow, _: Around, report: Report): void {
  if (!URL.canParse(url)) report('M34', `has the url "${url}"`)
  if (!endpointFields.enabled_events.safeParse(enabled_events).success)
    report('M34', `is subscribed to ${JSON.stringify(enabled_events)}`)
}

/** M37: what is sent to it can be signed. Nothing is sent to a deleted one any more. */
function checkSecret(
  { listed, encrypted_secret }: WebhookEndpointRow,
  { opened }: Around,
  report: Report,
): void {
  if (listed && opened(encrypted_secret) === null)
    report('M37', 'its secret does not open with this `secret`')
}
