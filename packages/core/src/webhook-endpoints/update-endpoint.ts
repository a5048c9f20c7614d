import type { z } from 'zod'
import { fail } from '../errors/domain-error.ts'
import { action } from '../kernel/action.ts'
import { given } from '../kernel/given.ts'
import { command, type Unit } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { pathId } from '../schema/ids.ts'
import { cancelPending } from './cancel-pending.ts'
import { endpointFields, refusedUrl } from './endpoint-input.ts'
import { endpointStatus, type WebhookEndpointRow, webhookEndpoint } from './webhook-endpoint.ts'
import { decideEndpoint } from './webhook-endpoint-machine.ts'

const { url, enabled_events, description } = endpointFields

const input = pathId
  .extend({
    url: url.optional(),
    enabled_events: enabled_events.optional(),
    description: description.optional(),
    status: endpointStatus.optional(),
  })
  .strict()

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
})

/** The same for a dashboard user; Resume is an update to `enabled`. */
export const updateEndpointAction = action({ input, run: editEndpoint })

async function editEndpoint(unit: Unit, { id, status, ...fields }: z.output<typeof input>) {
  const refused = fields.url === undefined ? null : refusedUrl(fields.url, unit)
  if (refused) return refused
  const found = await unit.tx.webhook_endpoints.lock(id)
  if (!found?.listed) return fail('resource_missing')
  await unit.tx.lockScope('exclusive')

  const since = { changed_at: unit.now, quiet_since: unit.now, due_at: null }
  const edited: WebhookEndpointRow = { ...found, ...given(fields), ...since }
  const trigger = status === 'disabled' ? 'disable' : 'enable'
  const changes = status !== undefined && status !== found.status
  const next = changes ? decideEndpoint(edited, trigger, unit.now).unwrapOr(edited) : edited
  await unit.tx.webhook_endpoints.update(next)
  if (changes && status === 'disabled') await cancelPending(unit, next)
  return ok(render(webhookEndpoint, next))
}
