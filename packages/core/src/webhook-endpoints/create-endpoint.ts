import { z } from 'zod'
import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { command, type Unit } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { endpointFields, refusedDestination } from './endpoint-input.ts'
import { createdEndpoint, endpoint_limit, type WebhookEndpointRow } from './webhook-endpoint.ts'

const input = z.strictObject({ ...endpointFields, description: endpointFields.description.default('') })
type Input = z.output<typeof input>

/** `POST /webhook-endpoints`. Only this response shows `secret`. */
export const createEndpoint = command({
  access: { key: 'secret', scope: 'webhooks:write' },
  input,
  output: createdEndpoint,
  errors: ['parameter_invalid', 'webhook_endpoint_limit_reached'],
  run: (unit, input) => registerEndpoint(unit, input, null),
})

/** The same for a dashboard user, who is notified if the endpoint is paused. */
export const registerEndpointAction = action({
  input,
  run: (unit, input) => registerEndpoint(unit, input, unit.actor),
})

/** Registers an endpoint for an API key (null), or for the dashboard user to notify if it is paused. */
async function registerEndpoint(unit: Unit, input: Input, registered_by: string | null) {
  const refused = refusedDestination(input.url, unit)
  if (refused) return refused
  const slot = await freeSlot(unit)
  if (slot === null) return fail('webhook_endpoint_limit_reached')
  const secret = unit.secrets.webhookSecret()
  const encrypted_secret = unit.secrets.encrypt(secret)
  const endpoint = newEndpoint(unit, input, { slot, encrypted_secret, registered_by })
  await unit.tx.webhook_endpoints.insert(endpoint)
  return ok(render(createdEndpoint, { ...endpoint, secret }))
}

/** The first free slot, which no other unit can take until this one ends; null if all are taken. */
async function freeSlot({ tx }: Unit): Promise<number | null> {
  await tx.lockScope('exclusive')
  const endpoints = await tx.webhook_endpoints.page({ where: { listed: true }, limit: endpoint_limit })
  const taken = new Set(endpoints.map(({ slot }) => slot))
  for (let slot = 1; slot <= endpoint_limit; slot += 1) if (!taken.has(slot)) return slot
  return null
}

function newEndpoint(
  { scope, ids, now }: Unit,
  { url, description, enabled_events }: Input,
  kept: Pick<WebhookEndpointRow, 'slot' | 'encrypted_secret' | 'registered_by'>,
): WebhookEndpointRow {
  return {
    ...scope,
    id: ids.prefixed('webhook_endpoint', scope.livemode, Date.parse(now)),
    url,
    description,
    enabled_events,
    status: 'enabled',
    created_at: now,
    changed_at: now,
    due_at: null,
    listed: true,
    ...kept,
    quiet_since: now,
    last_failure_at: null,
    exhausted_created_at: null,
  }
}
