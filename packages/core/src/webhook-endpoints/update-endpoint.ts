import type { z } from 'zod'
import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { given } from '../kernel/given.ts'
import { command, type Unit, type Units } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { cancelBacklog } from './cancel-backlog.ts'
import { cancelPending } from './cancel-pending.ts'
import { endpointFields, refusedDestination } from './endpoint-input.ts'
import {
  type EndpointStatus,
  endpointStatus,
  type WebhookEndpointRow,
  webhookEndpoint,
} from './webhook-endpoint.ts'
import { decideEndpoint } from './webhook-endpoint-machine.ts'

const { url, enabled_events, description } = endpointFields

const input = byId.extend({
  url: url.optional(),
  enabled_events: enabled_events.optional(),
  description: description.optional(),
  status: endpointStatus.optional(),
})

/**
 * `POST /webhook-endpoints/{id}`: fields left out are kept. Any update counts as an edit for the automatic
 * pause, `status` = `enabled` as a resume.
 */
export const updateEndpoint = command({
  access: { key: 'secret', scope: 'webhooks:write' },
  input,
  output: webhookEndpoint,
  errors: ['parameter_invalid', 'resource_missing'],
  run: editEndpoint,
  before: cancelWhatIsLeft,
})

/** The same for a dashboard user; Resume is an update to `enabled`. */
export const updateEndpointAction = action({ input, run: editEndpoint, before: cancelWhatIsLeft })

async function editEndpoint(unit: Unit, { id, status, ...fields }: z.output<typeof input>) {
  const refused = fields.url === undefined ? null : refusedDestination(fields.url, unit)
  if (refused) return refused
  const found = await unit.tx.webhook_endpoints.lock(id)
  if (!found?.listed) return fail('resource_missing')
  await unit.tx.lockScope('exclusive')

  const edited: WebhookEndpointRow = {
    ...found,
    ...given(fields),
    changed_at: unit.now,
    quiet_since: unit.now,
    // The pause starts counting anew. A disabled endpoint stays due while it has deliveries left to cancel.
    due_at: found.status === 'enabled' ? null : found.due_at,
  }
  const changes = status !== undefined && status !== found.status
  const saved = changes ? await switched(unit, edited, status) : edited
  await unit.tx.webhook_endpoints.update(saved)
  return ok(render(webhookEndpoint, saved))
}

/** Before the endpoint is enabled again. */
async function cancelWhatIsLeft(units: Units, { id, status }: z.output<typeof input>): Promise<void> {
  if (status === 'enabled') await cancelBacklog(units, id)
}

async function switched(unit: Unit, endpoint: WebhookEndpointRow, to: EndpointStatus) {
  const trigger = to === 'disabled' ? 'disable' : 'enable'
  const next = decideEndpoint(endpoint, trigger, unit.now).unwrapOr(endpoint)
  if (to === 'disabled') return cancelPending(unit, next)
  // Once the endpoint is enabled again, nothing may be left of what disabling it cancels.
  return cancelPending(unit, next, Number.POSITIVE_INFINITY)
}
