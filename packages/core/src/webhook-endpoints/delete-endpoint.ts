import { z } from 'zod'
import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { command, type Unit } from '../kernel/operation.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { cancelPending } from './cancel-pending.ts'
import type { WebhookEndpointRow } from './webhook-endpoint.ts'
import { decideEndpoint } from './webhook-endpoint-machine.ts'

/** `DELETE /webhook-endpoints/{id}`: stops it for good. Its past deliveries stay readable on their events. */
export const deleteEndpoint = command({
  access: { key: 'secret', scope: 'webhooks:write' },
  input: byId,
  output: z.object({ object: z.literal('webhook_endpoint'), id: z.string(), deleted: z.literal(true) }),
  errors: ['resource_missing'],
  run: removeEndpoint,
})

/** The same for a dashboard user. */
export const deleteEndpointAction = action({ input: byId, run: removeEndpoint })

async function removeEndpoint(unit: Unit, { id }: { id: string }) {
  const found = await unit.tx.webhook_endpoints.lock(id)
  if (!found?.listed) return fail('resource_missing')
  await unit.tx.lockScope('exclusive')
  const disabled = decideEndpoint(found, 'disable', unit.now).unwrapOr(found)
  const deleted: WebhookEndpointRow = { ...disabled, listed: false, slot: null, changed_at: unit.now }
  await unit.tx.webhook_endpoints.update(await cancelPending(unit, deleted))
  return ok({ object: 'webhook_endpoint' as const, id, deleted: true as const })
}
