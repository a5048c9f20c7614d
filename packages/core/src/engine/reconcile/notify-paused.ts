import type { WebhookEndpointRow } from '../../webhook-endpoints/webhook-endpoint.ts'
import type { Services } from '../services.ts'

/** Notifies of a paused endpoint; of one that an API key registered only if `notify_of_key_endpoints` is on. */
export function notifyPaused(services: Services, endpoint: WebhookEndpointRow): void {
  const { notifier, logger, notify_of_key_endpoints } = services
  const { workspace, livemode, id, url, registered_by: user } = endpoint
  logger.info('a webhook endpoint was paused', { workspace, endpoint: id })
  if (user === null && !notify_of_key_endpoints) return
  notifier.endpointPaused({ workspace, livemode, endpoint: id, url, user })
}
