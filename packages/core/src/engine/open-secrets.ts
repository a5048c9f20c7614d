import type { Secrets } from '../kernel/secrets.ts'
import type { Logger } from '../ports/logger.ts'
import type { WebhookEndpointRow } from '../webhook-endpoints/webhook-endpoint.ts'

/** Decrypts an endpoint's secret; null if that fails because the engine's own `secret` was changed. */
export type OpenSecret = (endpoint: WebhookEndpointRow) => string | null

/** How many opened secrets are cached. */
const most_open = 1_000

/**
 * Caches what it opens, because opening costs as much as signing; and what it cannot open, because that is logged, and
 * thousands of deliveries may wait for one endpoint.
 */
export function openSecrets({ secrets, logger }: { secrets: Secrets; logger: Logger }): OpenSecret {
  const opened = new Map<string, string | null>()
  const open = ({ id, encrypted_secret }: WebhookEndpointRow) => {
    const secret = secrets.opened(encrypted_secret)
    const fault = 'the `secret` of the engine is not the one that it was encrypted under'
    if (secret === null) logger.error('a webhook secret cannot be decrypted', { endpoint: id, fault })
    return secret
  }
  return (endpoint) => {
    const known = opened.get(endpoint.encrypted_secret)
    if (known !== undefined) return known
    const secret = open(endpoint)
    if (opened.size >= most_open) opened.clear()
    opened.set(endpoint.encrypted_secret, secret)
    return secret
  }
}
