import type { Units } from '../kernel/operation.ts'
import { judgeEndpoint } from './judge-endpoint.ts'
import type { WebhookEndpointRow } from './webhook-endpoint.ts'

/**
 * Cancels what a disabled endpoint still has pending, a thousand deliveries in each unit of work, so that other units of the
 * workspace run in between. To call before the endpoint is enabled: the unit that does so cancels all that is left.
 */
export async function cancelBacklog(units: Units, id: string): Promise<void> {
  let left = isBehind(await units.read((rows) => rows.webhook_endpoints.get(id)))
  while (left) {
    left = await units.write(async (unit) => {
      const endpoint = await unit.tx.webhook_endpoints.lock(id)
      return isBehind(endpoint) && isBehind(await judgeEndpoint(unit, endpoint))
    })
  }
}

function isBehind(endpoint: WebhookEndpointRow | undefined): endpoint is WebhookEndpointRow {
  return endpoint?.status === 'disabled' && endpoint.due_at !== null
}
