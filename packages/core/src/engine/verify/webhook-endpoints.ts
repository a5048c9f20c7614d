import type { WebhookEndpointRow } from '../../webhook-endpoints/webhook-endpoint.ts'
import { inItsEnvironment, notOverdue } from './any-row.ts'
import { type Around, check } from './check.ts'
import type { Report } from './violation.ts'

export const webhookEndpoints = check('webhook_endpoints', [], inItsEnvironment, notOverdue, checkDeleted)

/** M41: a deleted endpoint stays disabled. */
function checkDeleted({ listed, status }: WebhookEndpointRow, _: Around, report: Report): void {
  if (!listed && status !== 'disabled') report('M41', `is deleted and ${status}`)
}
