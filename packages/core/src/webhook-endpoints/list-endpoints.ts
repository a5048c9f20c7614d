import { query } from '../kernel/operation.ts'
import { page } from '../kernel/page.ts'
import { render } from '../kernel/render.ts'
import { listOf, listQuery } from '../schema/list.ts'
import { webhookEndpoint } from './webhook-endpoint.ts'

/** `GET /webhook-endpoints`: never includes the secrets. */
export const listEndpoints = query({
  access: { key: 'secret', scope: 'webhooks:read' },
  input: listQuery,
  output: listOf(webhookEndpoint),
  errors: ['parameter_invalid'],
  run({ rows }, cursor) {
    return page(rows.webhook_endpoints, cursor, {
      where: { listed: true },
      show: (row) => render(webhookEndpoint, row),
    })
  },
})
