import type { IdempotencyKeyRow } from '../idempotency-key.ts'
import { type OperationName, operationNamed } from '../operations.ts'
import { notOverdue } from './any-row.ts'
import { type Around, check } from './check.ts'
import type { Report } from './violation.ts'

export const idempotencyKeys = check('idempotency_keys', [], notOverdue, checkAnswer, checkIntent)

/** M44: either in flight or answered, and due again in both cases. */
async function checkAnswer(key: IdempotencyKeyRow, { rows }: Around, report: Report): Promise<void> {
  const { lease_until, answer_status, answer_body, answer_event, due_at } = key
  const in_flight = lease_until !== null
  const answered = answer_body !== null || answer_event !== null
  if (in_flight === answered)
    report('M44', in_flight ? 'is in flight and answered' : 'is neither in flight nor answered')
  if (answered !== (answer_status !== null))
    report('M44', `is ${answered ? '' : 'not '}answered, with status ${answer_status}`)
  if (due_at === null) report('M44', 'will never be looked at again')
  if (answer_event !== null && !(await rows.events.get(answer_event))) {
    report('M42', `answers with ${answer_event}, which is not there`)
  }
}

const operations_of_money: ReadonlySet<string> = new Set(['payments.create', 'refunds.create'])

/** M2, M44: the charge or refund that the request made exists, and the stored answer agrees with its status. */
async function checkIntent(key: IdempotencyKeyRow, { rows }: Around, report: Report): Promise<void> {
  const { intent, answer_status } = key
  const { kind } = operationNamed(key.operation as OperationName)
  if (kind !== 'remote') return
  if (intent === null) {
    // A session that is confirmed asks the processor too, and makes no payment.
    if (answer_status === 200 && operations_of_money.has(key.operation))
      report('M2', 'answered 200, and does not name what it made')
    return
  }
  const made = (await rows.payments.get(intent)) ?? (await rows.refunds.get(intent)) ?? undefined
  if (made === undefined) report('M2', `made ${intent}, which is not there`)
  else if (answer_status === 402 && made.status !== 'failed')
    report('M44', `answered 402, and ${intent} is ${made.status}`)
  else if (answer_status === 200 && made.status === null)
    report('M44', `answered 200, and ${intent} is an intent`)
}
