import { type Delivery, type DeliveryRow, delivery } from '../deliveries/delivery.ts'
import { everyRow } from '../kernel/page.ts'
import { render } from '../kernel/render.ts'
import type { ReadTable } from '../ports/store.ts'
import type { Event, EventRow } from './event.ts'

/** The event as it was filed. */
export function showEvent(row: EventRow): Event {
  return JSON.parse(row.body) as Event
}

/** The event with all its deliveries, oldest first. */
export async function showWithDeliveries(deliveries: ReadTable<DeliveryRow>, row: EventRow) {
  const shown: Delivery[] = []
  for await (const one of everyRow(deliveries, { event: row.id })) shown.push(render(delivery, one))
  return { ...showEvent(row), deliveries: shown.reverse() }
}
