import { newDelivery } from '../deliveries/new-delivery.ts'
import { fail } from '../errors/domain-error.ts'
import { command } from '../kernel/operation.ts'
import { ok } from '../kernel/result.ts'
import { byId, idParameter } from '../schema/ids.ts'
import { eventWithDeliveries } from './event.ts'
import { showWithDeliveries } from './show-event.ts'

/**
 * `POST /events/{id}/resend`: delivers the same bytes again to one endpoint, subscribed or not. `conflict`
 * while an earlier delivery of it to that endpoint is still being retried.
 */
export const resendEvent = command({
  access: { key: 'secret', scope: 'webhooks:write' },
  input: byId.extend({ endpoint: idParameter }),
  output: eventWithDeliveries,
  errors: ['parameter_invalid', 'resource_missing', 'conflict'],
  async run(unit, { id, endpoint }) {
    const event = await unit.tx.events.get(id)
    if (!event) return fail('resource_missing')
    const to = await unit.tx.webhook_endpoints.lock(endpoint)
    if (to?.status !== 'enabled')
      return fail('parameter_invalid', {
        param: 'endpoint',
        message: 'This is not an enabled endpoint of yours.',
      })
    const delivery = newDelivery(unit, { event: id, endpoint, origin: 'resend' })
    if (!(await unit.tx.deliveries.insertNew(delivery))) return fail('conflict')
    unit.sendAfterCommit({ delivery, endpoint: to, body: event.body })
    return ok(await showWithDeliveries(unit.tx.deliveries, event))
  },
})
