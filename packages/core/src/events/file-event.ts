import { newDelivery } from '../deliveries/new-delivery.ts'
import type { Happened, Unit } from '../kernel/operation.ts'
import { later } from '../schema/timestamps.ts'
import { endpoint_limit } from '../webhook-endpoints/webhook-endpoint.ts'
import type { EventRow } from './event.ts'

/**
 * Files an event and a delivery to every endpoint that is enabled and subscribed at this moment, in the unit
 * of work that changes the object. The body is rendered here, once: every attempt and resend sends these bytes.
 */
export async function fileEvent(
  unit: Pick<Unit, 'tx' | 'scope' | 'now' | 'ids' | 'sendAfterCommit'>,
  { type, object, at }: Happened,
): Promise<{ event: EventRow; object_json: string }> {
  const { tx, scope, now, ids } = unit
  // The id takes the event's own time, because units may commit in another order than they began.
  const id = ids.prefixed('event', scope.livemode, Date.parse(later(now, at)))
  const object_json = JSON.stringify(object)
  const { livemode } = scope
  // Put together by hand, so that `object_json` is rendered once for the event and for the stored response.
  const body = `{"object":"event","id":"${id}","type":"${type}","created_at":"${at}","livemode":${livemode},"data":{"object":${object_json}}}`
  const event: EventRow = { ...scope, id, type, created_at: at, subject: object.id, body }
  await tx.events.insert(event)
  // The lock keeps endpoints as they are until the commit. A unit that changes them waits, then sees what was filed.
  const [, endpoints] = await Promise.all([
    tx.lockScope('shared'),
    tx.webhook_endpoints.page({ where: { listed: true }, limit: endpoint_limit }),
  ])
  for (const endpoint of endpoints.reverse()) {
    const { status, enabled_events } = endpoint
    const subscribed = enabled_events.includes(type) || enabled_events.includes('*')
    if (status !== 'enabled' || !subscribed) continue
    const delivery = newDelivery(unit, { event: id, endpoint: endpoint.id, origin: 'emit' })
    await tx.deliveries.insert(delivery)
    unit.sendAfterCommit({ delivery, endpoint, body })
  }
  return { event, object_json }
}
