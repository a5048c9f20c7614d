import { isDeepStrictEqual } from 'node:util'
import { shifted, type Tables } from '@quittance/core'
import { type Commit, type Moved, rowAt, rowsWhere } from './commit.ts'
import { checkDelivery, checkEmitted, isListening, three_days_ms } from './deliveries.ts'
import type { Report } from './moment.ts'

type Delivery = Tables['deliveries']
type Endpoint = Tables['webhook_endpoints']

/** M32, M34: an event is filed once, for good, with one delivery to every endpoint that listens at that moment. */
export function checkEventMove(commit: Commit, { id, was, is }: Moved<'events'>, report: Report): void {
  if (was !== undefined) {
    if (!isDeepStrictEqual(was, is)) report('M32', `${id} was changed`)
    return
  }
  const deliveries = rowsWhere(commit, 'deliveries', (one) => one.emit_of === id)
  for (const endpoint of rowsWhere(commit, 'webhook_endpoints', () => true))
    checkEmitted(is, { endpoint, deliveries }, report)
  const earlier = rowsWhere(
    commit,
    'events',
    (one) => one.subject === is.subject && one.created_at > is.created_at,
  )
  if (earlier.length > 0) report('M33', `${is.subject}: events go back in time`)
}

/** M35, M36, M38 to M40: a delivery moves on its own, one attempt a commit, and is canceled only with its endpoint. */
export function checkDeliveryMove(
  commit: Commit,
  { id, was, is }: Moved<'deliveries'>,
  report: Report,
): void {
  checkDelivery(is, report)
  const endpoint = rowAt(commit, 'webhook_endpoints', is.endpoint)
  const listening = endpoint !== undefined && isListening(endpoint)
  if (was === undefined) {
    if (is.status !== 'pending' || is.attempt_count !== 0) report('M35', `${id} began as ${is.status}`)
    if (is.lease !== (is.lease_until === null ? 0 : 1)) report('M38', `${id} began under lease ${is.lease}`)
    if (!listening) report('M34', `${id} was filed for ${is.endpoint}, which does not listen`)
    const others = rowsWhere(
      commit,
      'deliveries',
      (one) => one.endpoint === is.endpoint && one.event === is.event,
    )
    if (others.filter(({ status }) => status === 'pending').length > 1)
      report('M40', `${is.event} is under way to ${is.endpoint} twice`)
    return
  }
  const attempts = is.attempt_count - was.attempt_count
  if (was.status !== 'pending' && was.status !== is.status)
    report('M35', `${id} went from ${was.status} to ${is.status}`)
  if (attempts < 0 || attempts > 1) report('M35', `${id} was attempted ${attempts} times in one commit`)
  if (attempts === 1 && was.lease_until === null) report('M38', `${id} was attempted under no lease`)
  if (is.lease < was.lease) report('M38', `${id} went back to an earlier lease`)
  if (was.status === 'pending' && is.status === 'canceled' && listening && !was.stopped)
    report('M36', `${id} was canceled and ${is.endpoint} listens`)
  if ((was.stopped || !listening) && is.status === 'pending' && is.lease_until === null)
    report('M36', `${id} goes on, and ${is.endpoint} was disabled meanwhile`)
  if (attempts === 1) checkHistory(commit, is, report)
}

/** M39: what the automatic pause depends on is written with the attempt. */
function checkHistory(commit: Commit, is: Delivery, report: Report): void {
  const endpoint = rowAt(commit, 'webhook_endpoints', is.endpoint)
  if (endpoint === undefined) return
  const { id, last_error, last_attempt_at, status, created_at } = is
  if (last_error === null) {
    const noted = last_attempt_at === null || endpoint.quiet_since >= last_attempt_at
    if (!noted && !commit.clock_was_set) report('M39', `${endpoint.id} forgot the 2xx of ${id}`)
    return
  }
  if (endpoint.last_failure_at === null) report('M39', `${endpoint.id} forgot the failure of ${id}`)
  const oldest = endpoint.exhausted_created_at
  if (status === 'exhausted' && (oldest === null || oldest > created_at))
    report('M39', `${endpoint.id} forgot that ${id} is exhausted`)
  if (isListening(endpoint) && !commit.clock_was_set && isOverdue(commit, endpoint))
    report('M39', `${endpoint.id} failed for three days and is not paused`)
}

/**
 * Judges by the deliveries themselves: three days without a 2xx or an edit, and an exhausted delivery from before them. A
 * failure that is recorded only after the three days, by a process that slept, is too old to pause anything.
 */
function isOverdue(commit: Commit, { id, changed_at, created_at, last_failure_at }: Endpoint): boolean {
  const long_ago = shifted(commit.now, -three_days_ms)
  if (changed_at > long_ago || created_at > long_ago || (last_failure_at ?? '') <= long_ago) return false
  const own = rowsWhere(commit, 'deliveries', ({ endpoint }) => endpoint === id)
  const accepted = own.some(
    ({ status, last_attempt_at }) => status === 'succeeded' && (last_attempt_at ?? '') > long_ago,
  )
  return (
    !accepted &&
    own.some(({ status, created_at: filed_at }) => status === 'exhausted' && filed_at <= long_ago)
  )
}

/** M34, M39: an endpoint is paused if it is overdue, never otherwise, and what it would receive is canceled with it. */
export function checkEndpointMove(
  commit: Commit,
  { id, was, is }: Moved<'webhook_endpoints'>,
  report: Report,
): void {
  if (was && !was.listed && is.listed) report('M34', `${id} was deleted and is back`)
  if (isPaused(was, is)) checkPause(commit, is, report)
  if (was === undefined || !isListening(was) || isListening(is)) return
  const left = rowsWhere(commit, 'deliveries', (one) => one.endpoint === id && one.status === 'pending')
  // A leased delivery is on the wire: its attempt decides, and is its last.
  for (const { id: delivery, lease_until, stopped } of left) {
    if (lease_until === null || !stopped) report('M36', `${delivery} is pending and ${id} is ${is.status}`)
  }
}

/** Whether it was disabled automatically: an update sets both times at once, a pause leaves `quiet_since` as it was. */
export function isPaused(was: Endpoint | undefined, is: Endpoint): boolean {
  return (
    was?.status === 'enabled' && is.listed && is.status === 'disabled' && is.changed_at !== is.quiet_since
  )
}

function checkPause(commit: Commit, { id, quiet_since }: Endpoint, report: Report): void {
  const long_ago = shifted(commit.now, -three_days_ms)
  if (quiet_since > long_ago)
    report('M39', `${id} was paused at ${commit.now}, and was quiet since ${quiet_since} only`)
  const exhausted = rowsWhere(
    commit,
    'deliveries',
    (one) => one.endpoint === id && one.status === 'exhausted' && one.created_at <= long_ago,
  )
  if (exhausted.length === 0) report('M39', `${id} was paused, and no delivery ran its whole schedule`)
}
