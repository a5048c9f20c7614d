import type { Moment, Report } from './moment.ts'
import type { Rows } from './rows.ts'

type Endpoint = Rows['webhook_endpoints'][number]

/** Delays before attempts 2 to 8: 1 min, 5 min, 30 min, 2 h, 6 h, 12 h, 24 h. */
export const delays_ms = [1, 5, 30, 120, 360, 720, 1440].map((minutes) => minutes * 60_000)

/** An endpoint without a 2xx for so long may be paused. */
export const three_days_ms = 3 * 86_400_000

/** M34, M35, M36, M40: every delivery moves on its own, and is attempted at most eight times and never too early. */
export function checkDeliveries({ rows, clock_was_set }: Moment, report: Report): void {
  const emitted = rows.deliveries.filter(({ origin }) => origin === 'emit')
  if (hasTwo(emitted)) report('M34', 'an event was emitted twice to one endpoint')
  if (hasTwo(rows.deliveries.filter(({ status }) => status === 'pending'))) {
    report('M40', 'two deliveries of one event to one endpoint are pending')
  }
  const endpoints = new Set(rows.webhook_endpoints.map(({ id }) => id))
  const events = new Set(rows.events.map(({ id }) => id))
  for (const delivery of rows.deliveries) {
    if (!endpoints.has(delivery.endpoint))
      report('M34', `${delivery.id} goes to an endpoint that is not there`)
    if (!events.has(delivery.event)) report('M34', `${delivery.id} carries an event that is not there`)
    checkDelivery(delivery, report)
    if (!clock_was_set) checkDelay(delivery, report)
  }
}

/** Whether anything is sent there. */
export function isListening({ listed, status }: Endpoint): boolean {
  return listed && status === 'enabled'
}

/** M34: an event has one delivery to an endpoint that listens for it when it is filed, and none to any other. */
export function checkEmitted(
  { id, type }: Rows['events'][number],
  { endpoint, deliveries }: { endpoint: Endpoint; deliveries: Rows['deliveries'] },
  report: Report,
): void {
  const { enabled_events } = endpoint
  const subscribed = enabled_events.includes('*') || enabled_events.includes(type)
  const expected = isListening(endpoint) && subscribed ? 1 : 0
  const emits = deliveries.filter((one) => one.emit_of === id && one.endpoint === endpoint.id).length
  if (emits !== expected) report('M34', `${id} has ${emits} emits to ${endpoint.id}, not ${expected}`)
}

export function checkDelivery(delivery: Rows['deliveries'][number], report: Report): void {
  const { id, status, attempt_count, next_attempt_at, last_error, last_response_status } = delivery
  const pending = status === 'pending'
  if (attempt_count > 8) report('M35', `${id} was attempted ${attempt_count} times`)
  if (pending !== (delivery.pending_of !== null)) report('M40', `${id} is ${status} and pending_of disagrees`)
  if (pending !== (next_attempt_at !== null))
    report('M35', `${id} is ${status} and next_attempt_at disagrees`)
  if (!pending && delivery.lease_until !== null) report('M35', `${id} is ${status} and leased`)
  const accepted =
    last_error === null && last_response_status !== null && Math.floor(last_response_status / 100) === 2
  if ((status === 'succeeded') !== accepted) report('M36', `${id} is ${status} after ${last_response_status}`)
  if (status === 'exhausted' && attempt_count !== 8)
    report('M36', `${id} is exhausted after ${attempt_count}`)
  if (pending && attempt_count === 8) report('M36', `${id} is pending after eight attempts`)
}

/** M35: delays count from the end of an attempt, which is not before its beginning. */
function checkDelay(delivery: Rows['deliveries'][number], report: Report): void {
  const { id, status, attempt_count, next_attempt_at, last_attempt_at } = delivery
  const delay_ms = delays_ms[attempt_count - 1]
  if (status !== 'pending' || next_attempt_at === null || last_attempt_at === null || delay_ms === undefined)
    return
  const waited_ms = Date.parse(next_attempt_at) - Date.parse(last_attempt_at)
  if (waited_ms < delay_ms) report('M35', `${id} is retried after ${waited_ms} ms`)
}

function hasTwo(deliveries: Rows['deliveries']): boolean {
  const pairs = deliveries.map(({ event, endpoint }) => `${event} ${endpoint}`)
  return new Set(pairs).size !== pairs.length
}
