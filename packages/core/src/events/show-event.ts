import type { DeliveryRow } from '../deliveries/delivery.ts'
import { delivery } from '../deliveries/delivery.ts'
import { render } from '../kernel/render.ts'
import type { ReadTable } from '../ports/store.ts'
import type { Event, EventRow } from './event.ts'

/** The event as it was filed. */
export function showEvent(row: EventRow): Event {
  return JSON.parse(row.body) as Event
}

/** The event with all its deliveries, oldest first. */
export async function showWithDeliveries(deliveries: ReadTable<DeliveryRow>, row: EventRow) {
  const step = 100
  const found: DeliveryRow[] = []
  let page: DeliveryRow[]
  do {
    page = await deliveries.page({ where: { event: row.id }, after: found.at(-1)?.id, limit: step })
    found.push(...page)
  } while (page.length === step)
  return { ...showEvent(row), deliveries: found.reverse().map((one) => render(delivery, one)) }
}
