import { fail } from '../errors/domain-error.ts'
import { query } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { webhookEndpoint } from './webhook-endpoint.ts'

/** `GET /webhook-endpoints/{id}`: never includes the secret. */
export const retrieveEndpoint = query({
  access: { key: 'secret', scope: 'webhooks:read' },
  input: byId,
  output: webhookEndpoint,
  errors: ['resource_missing'],
  async run({ rows }, { id }) {
    const found = await rows.webhook_endpoints.get(id)
    return found?.listed ? ok(render(webhookEndpoint, found)) : fail('resource_missing')
  },
})
