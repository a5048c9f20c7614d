import type { DeliveryRow } from '../../deliveries/delivery.ts'
import { retry_delays_ms } from '../../deliveries/delivery-machine.ts'
import { notOverdue, notPutOff, precedes } from './any-row.ts'
import { type Around, check } from './check.ts'
import type { Report } from './violation.ts'

export const deliveries = check(
  'deliveries',
  [],
  checkSchedule,
  checkOutcome,
  checkNames,
  ({ next_attempt_at: due_at, last_attempt_at, created_at }, around, report) => {
    notOverdue({ due_at }, around, report)
    notPutOff({ due_at, changed_at: last_attempt_at ?? created_at }, around, report)
  },
)

const most_attempts = retry_delays_ms.length + 1

/** M35, M40: at most eight attempts, none too early, and none once it is over. */
function checkSchedule(delivery: DeliveryRow, _: Around, report: Report): void {
  const { status, event, origin, attempt_count, created_at } = delivery
  const { next_attempt_at, last_attempt_at, lease_until } = delivery
  const pending = status === 'pending'
  if (attempt_count > most_attempts) report('M35', `was attempted ${attempt_count} times`)
  if (pending !== (next_attempt_at !== null))
    report('M35', `is ${status} and next_attempt_at is ${next_attempt_at}`)
  if ((attempt_count === 0) !== (last_attempt_at === null))
    report('M35', `was attempted ${attempt_count} times, the last one at ${last_attempt_at}`)
  if (last_attempt_at !== null && precedes(last_attempt_at, created_at))
    report('M35', `was attempted at ${last_attempt_at} and made at ${created_at}`)
  if (!pending && lease_until !== null) report('M35', `is ${status} and leased`)
  if (delivery.pending_of !== (pending ? event : null))
    report('M40', `of ${event} is ${status} and pending_of is ${delivery.pending_of}`)
  if (delivery.emit_of !== (origin === 'emit' ? event : null))
    report('M34', `of ${event} is of origin ${origin} and emit_of is ${delivery.emit_of}`)
  const delay_ms = retry_delays_ms[attempt_count - 1]
  if (next_attempt_at === null || last_attempt_at === null || delay_ms === undefined) return
  const waits_ms = Date.parse(next_attempt_at) - Date.parse(last_attempt_at)
  if (waits_ms < delay_ms) report('M35', `is retried after ${waits_ms} ms, not ${delay_ms}`)
}

/** M36: its status agrees with its last attempt. */
function checkOutcome(delivery: DeliveryRow, _: Around, report: Report): void {
  const { status, attempt_count, last_error, last_response_status } = delivery
  const accepted =
    last_error === null && last_response_status !== null && Math.floor(last_response_status / 100) === 2
  if (status === 'succeeded' && attempt_count === 0) report('M36', 'succeeded without an attempt')
  if ((status === 'succeeded') !== accepted)
    report('M36', `is ${status} after ${last_error ?? last_response_status}`)
  if (status === 'exhausted' && attempt_count < most_attempts)
    report('M36', `is exhausted after ${attempt_count} attempts`)
  if ((status === 'pending' || status === 'canceled') && attempt_count >= most_attempts)
    report('M36', `is ${status} after ${attempt_count} attempts`)
}

/** M34: its event and endpoint exist. M36: it is not pending for a disabled endpoint, unless that is due to cancel more. */
async function checkNames(delivery: DeliveryRow, { rows }: Around, report: Report): Promise<void> {
  const { event, endpoint, status, lease_until } = delivery
  if (!(await rows.events.get(event))) report('M34', `carries ${event}, which is not there`, event)
  const to = await rows.webhook_endpoints.get(endpoint)
  if (!to) report('M34', `goes to ${endpoint}, which is not there`, endpoint)
  const waits = status === 'pending' && lease_until === null
  if (waits && to?.status === 'disabled' && to.due_at === null)
    report('M36', `is pending, and ${endpoint} is disabled`)
}
