import { fail } from '../errors/domain-error.ts'
import { query } from '../kernel/operation.ts'
import { ok } from '../kernel/result.ts'
import { byId } from '../schema/ids.ts'
import { eventWithDeliveries } from './event.ts'
import { showWithDeliveries } from './show-event.ts'

/** `GET /events/{id}`: the event and its deliveries, oldest first. */
export const retrieveEvent = query({
  access: { key: 'secret', scope: 'webhooks:read' },
  input: byId,
  output: eventWithDeliveries,
  errors: ['resource_missing'],
  async run({ rows }, { id }) {
    const found = await rows.events.get(id)
    return found ? ok(await showWithDeliveries(rows.deliveries, found)) : fail('resource_missing')
  },
})
