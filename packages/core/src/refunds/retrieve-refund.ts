import { fail } from '../errors/domain-error.ts'
import { query } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { refund } from './refund.ts'

/** `GET /refunds/{id}`. */
export const retrieveRefund = query({
  access: { key: 'secret', scope: 'payments:read' },
  input: byId,
  output: refund,
  errors: ['resource_missing'],
  async run({ rows }, { id }) {
    const found = await rows.refunds.get(id)
    return found?.listed ? ok(render(refund, found)) : fail('resource_missing')
  },
})
