import type { Moment, Report } from './moment.ts'
import type { Rows } from './rows.ts'

type Payment = Rows['payments'][number]
type Event = Rows['events'][number]

/** How far along a status is: the object in an event is never behind the status that the event announces. */
const order = { processing: 0, authorized: 0, succeeded: 1, failed: 1, canceled: 2, returned: 2 } as const

/** M30, M31, M33: the announced statuses of an API payment are those it was committed in, each once and in order. */
export function checkEvents({ rows, clock_was_set }: Moment, report: Report): void {
  const filed = Map.groupBy(rows.events, ({ subject }) => subject)
  const known = new Set(rows.payments.map(({ id }) => id))
  for (const subject of filed.keys()) {
    if (subject.startsWith('pay_') && !known.has(subject))
      report('M30', `${subject} was announced and is not there`)
  }
  for (const payment of rows.payments.filter(({ source }) => source === 'api')) {
    const events = filed.get(payment.id) ?? []
    checkPayment(payment, events, report)
    if (!clock_was_set) checkTimes(payment.id, events, report)
  }
  checkAnnounced(rows, filed, report)
}

function checkPayment(payment: Payment, events: readonly Event[], report: Report): void {
  const { id, status } = payment
  const types = events.map(({ type }) => type.replace('payment.', ''))
  if (new Set(types).size !== types.length) report('M31', `${id} announced a status twice: ${types}`)
  if (status === null) {
    if (types.length > 0) report('M30', `${id} is an intent and announced ${types}`)
    return
  }
  const stamps = {
    succeeded_at: 'succeeded',
    failed_at: 'failed',
    canceled_at: 'canceled',
    returned_at: 'returned',
  }
  for (const [column, name] of Object.entries(stamps)) {
    const reached = payment[column as 'succeeded_at'] !== null
    if (reached !== types.includes(name)) report('M30', `${id}: ${column} and the event do not agree`)
  }
  if (!types.includes(status)) report('M30', `${id} is ${status} and did not announce it`)

  for (const event of events) {
    const { type, data } = JSON.parse(event.body) as { type: string; data: { object: Payment } }
    const announced = type.replace('payment.', '') as keyof typeof order
    const shown = data.object.status as keyof typeof order
    if (order[shown] < order[announced]) report('M33', `${event.id} shows ${shown}, which is behind ${type}`)
    if (data.object.id !== id || type !== event.type) report('M32', `${event.id} is about something else`)
  }
}

/** M33: events are in the order of their ids, which begin with the time of filing. */
function checkTimes(id: string, events: readonly Event[], report: Report): void {
  for (const [n, event] of events.entries()) {
    const previous = events[n - 1]
    if (previous && previous.created_at > event.created_at) report('M33', `${id}: events go back in time`)
  }
}

/** M27, M30, M31: refunds and checkout sessions announce each state they were in, once; invoice pages nothing. */
function checkAnnounced(rows: Rows, filed: ReadonlyMap<string, readonly Event[]>, report: Report): void {
  const announced = (id: string) => (filed.get(id) ?? []).map(({ type }) => type.replace(/^.*\./, ''))
  for (const { id, status } of rows.refunds) {
    const types = announced(id)
    if (new Set(types).size !== types.length) report('M31', `${id} announced a status twice: ${types}`)
    const announces = status === null ? types.length === 0 : types.includes(status)
    if (!announces) report('M30', `${id} is ${status} and announced ${types}`)
    const states = types.filter((type) => type !== 'pending')
    if (states.length > 1) report('M31', `${id} announced two ends: ${types}`)
  }
  for (const { id, status } of rows.checkout_sessions) {
    const expected = { open: '', complete: 'completed', expired: 'expired' }[status]
    const types = announced(id).join()
    if (types !== expected) report('M27', `${id} is ${status} and announced ${types || 'nothing'}`)
  }
  for (const { id, source } of rows.payments) {
    if (source === 'invoice_page' && filed.has(id)) report('M31', `${id} was taken on a page and announced`)
  }
}
