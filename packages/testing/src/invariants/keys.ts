import { isRemote } from '@quittance/core'
import type { Moment, Report } from './moment.ts'
import type { Rows } from './rows.ts'

type Key = Rows['idempotency_keys'][number]

/** M2, M43, M44: a key stands for one request and one payment, and its response agrees with what became of the payment. */
export function checkKeys({ rows }: Moment, report: Report): void {
  const payments = new Map(rows.payments.map((payment) => [payment.id, payment]))
  // Several keys of other operations may name one object: a change does not create it.
  const makers = rows.idempotency_keys.filter(({ operation }) => isRemote(operation))
  const intents = makers.map(({ intent }) => intent)
  const made = intents.filter((intent) => intent !== null)
  if (new Set(made).size !== made.length) report('M2', 'two keys made the same payment')

  for (const key of rows.idempotency_keys) {
    checkKey(key, report)
    const payment = key.intent === null ? undefined : payments.get(key.intent)
    if (key.operation !== 'payments.create' || !payment || key.lease_until !== null) continue
    const { answer_status, id } = key
    if (answer_status === 200 && payment.status === null) report('M44', `${id} answered 200 for an intent`)
    if (answer_status === 402 && payment.status !== 'failed') {
      report('M44', `${id} answered 402, and ${payment.id} is ${payment.status}`)
    }
    if (answer_status === 200 && payment.status === 'failed' && !wasProcessing(payment.id, rows.events)) {
      report('M44', `${id} answered 200, and ${payment.id} failed at once`)
    }
  }
}

/** M44: a key waits for its response or has it, and is looked at again. */
export function checkKey(key: Key, report: Report): void {
  const in_flight = key.lease_until !== null
  const answered = key.answer_body !== null || key.answer_event !== null
  if (in_flight === answered) report('M44', `${key.id} is in flight and answered, or neither`)
  if (key.due_at === null) report('M44', `${key.id} will never be looked at again`)
}

/** Whether another response would be replayed. */
export function isAnswerChanged(was: Key, is: Key): boolean {
  return (
    was.answer_status !== is.answer_status ||
    was.answer_body !== is.answer_body ||
    was.answer_event !== is.answer_event
  )
}

function wasProcessing(id: string, events: Moment['rows']['events']): boolean {
  return events.some(({ subject, type }) => subject === id && type === 'payment.processing')
}
