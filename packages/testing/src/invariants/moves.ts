import { isDeepStrictEqual } from 'node:util'
import { checkEmitted } from './deliveries.ts'
import { isAnswerChanged } from './keys.ts'
import type { Moment, Report } from './moment.ts'
import type { Rows } from './rows.ts'

/** The statuses that a payment can go to from each status, in one transition or in several. */
export const payment_moves: Readonly<Record<string, readonly string[]>> = {
  null: ['processing', 'succeeded', 'failed'],
  processing: ['succeeded', 'failed', 'canceled', 'returned'],
  succeeded: ['returned'],
}

type Step = Moment & { before: Rows }

/** M6, M32, M34, M35: final statuses stay, filed events never change, and every subscriber gets a delivery. */
export function checkMoves(step: Step, report: Report): void {
  const { before, rows } = step
  for (const [was, is] of pairs(before.payments, rows.payments, (id) => report('M6', `${id} is gone`))) {
    if (was.status === is.status) continue
    const allowed = was.status === null || payment_moves[was.status]?.includes(is.status ?? '')
    if (!allowed) report('M6', `${is.id} went from ${was.status} to ${is.status}`)
  }
  for (const [was, is] of pairs(before.events, rows.events, (id) => report('M32', `${id} is gone`))) {
    if (!isDeepStrictEqual(was, is)) report('M32', `${is.id} was changed`)
  }
  for (const [was, is] of pairs(before.deliveries, rows.deliveries, (id) => report('M35', `${id} is gone`))) {
    if (was.status !== 'pending' && was.status !== is.status) {
      report('M35', `${is.id} went from ${was.status} to ${is.status}`)
    }
    if (is.attempt_count < was.attempt_count) report('M35', `${is.id} lost an attempt`)
  }
  for (const [was, is] of pairs(before.idempotency_keys, rows.idempotency_keys, () => {})) {
    const answered = was.lease_until === null && was.request_id === is.request_id
    if (answered && isAnswerChanged(was, is)) report('M42', `the answer under ${is.id} was changed`)
  }
  checkEmits(step, report)
}

/** M34 for events that are new in this step, and endpoints that did not change in it. */
function checkEmits({ before, rows }: Step, report: Report): void {
  const old = new Set(before.events.map(({ id }) => id))
  const fresh = rows.events.filter(({ id }) => !old.has(id))
  for (const [was, endpoint] of pairs(before.webhook_endpoints, rows.webhook_endpoints, () => {})) {
    if (was.changed_at !== endpoint.changed_at || was.status !== endpoint.status) continue
    if (was.listed !== endpoint.listed || !isDeepStrictEqual(was.enabled_events, endpoint.enabled_events))
      continue
    for (const event of fresh) checkEmitted(event, { endpoint, deliveries: rows.deliveries }, report)
  }
}

function pairs<Row extends { id: string }>(
  before: readonly Row[],
  after: readonly Row[],
  gone: (id: string) => void,
): [was: Row, is: Row][] {
  const now = new Map(after.map((row) => [row.id, row]))
  return before.flatMap((was): [Row, Row][] => {
    const is = now.get(was.id)
    if (is === undefined) gone(was.id)
    return is === undefined ? [] : [[was, is]]
  })
}
