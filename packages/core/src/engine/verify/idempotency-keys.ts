import type { IdempotencyKeyRow } from '../../idempotency-keys/idempotency-key.ts'
import { isSealed } from '../idempotency/idempotency.ts'
import { isRemote } from '../operations.ts'
import { notOverdue } from './any-row.ts'
import { type Around, check } from './check.ts'
import type { Report } from './violation.ts'

export const idempotencyKeys = check(
  'idempotency_keys',
  ['keysOf'],
  notOverdue,
  checkAnswer,
  checkIntent,
  checkMaker,
  checkSealed,
)

/** M42, M44: either in flight or answered, with what was made under it, and due again in both cases. */
async function checkAnswer(key: IdempotencyKeyRow, { rows }: Around, report: Report): Promise<void> {
  const { operation, intent, lease_until, answer_status, answer_body, answer_event, due_at } = key
  const in_flight = lease_until !== null
  const answered = answer_body !== null || answer_event !== null
  if (in_flight === answered)
    report('M44', in_flight ? 'is in flight and answered' : 'is neither in flight nor answered')
  if (answered !== (answer_status !== null))
    report('M44', `is ${answered ? '' : 'not '}answered, with status ${answer_status}`)
  if (due_at === null) report('M44', 'will never be looked at again')
  if (answer_event === null) return
  const event = await rows.events.get(answer_event)
  if (event === undefined) report('M42', `answers with ${answer_event}, which is not there`)
  else if (intent !== null && event.subject !== intent)
    report('M42', `made ${intent}, and answers with an event about ${event.subject}`)
  else if (operation === 'payments.create' && (event.type === 'payment.failed') !== (answer_status === 402))
    report('M44', `answered ${answer_status} with ${event.type}`)
}

/** What the ids begin with of what each of them makes. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ['payments.create', 'pay_'],
  ['refunds.create', 're_'],
])

/** M2, M44: the charge or refund that the request made exists, and the stored answer agrees with its status. */
async function checkIntent(key: IdempotencyKeyRow, { rows }: Around, report: Report): Promise<void> {
  const { intent, answer_status } = key
  const prefix = prefixes.get(key.operation)
  if (!isRemote(key.operation)) return
  if (intent === null) {
    // A session that is confirmed asks the processor too, and makes no payment.
    if (answer_status === 200 && prefix !== undefined)
      report('M2', 'answered 200, and does not name what it made')
    return
  }
  const made = (await rows.payments.get(intent)) ?? (await rows.refunds.get(intent)) ?? undefined
  if (made === undefined) report('M2', `made ${intent}, which is not there`)
  else if (prefix !== undefined && !intent.startsWith(prefix))
    report('M2', `made ${intent}, which is another object`)
  else if (answer_status === 402 && made.status !== 'failed')
    report('M44', `answered 402, and ${intent} is ${made.status}`)
  else if (answer_status === 200 && made.status === null)
    report('M44', `answered 200, and ${intent} is an intent`)
}

/** M2: no other request made the same charge or refund; one that does not ask the processor only changes it. */
async function checkMaker(key: IdempotencyKeyRow, { keysOf }: Around, report: Report): Promise<void> {
  const { id, intent } = key
  if (intent === null || !isRemote(key.operation)) return
  const other = (await keysOf(intent)).find((one) => one.id !== id && isRemote(one.operation))
  if (other !== undefined) report('M2', `made ${intent}, which another key made too: ${other.id}`)
}

/** M42: a sealed answer can be repeated. */
function checkSealed({ answer_body }: IdempotencyKeyRow, { opens }: Around, report: Report): void {
  if (answer_body !== null && isSealed(answer_body) && !opens(answer_body))
    report('M42', 'its answer does not open with this `secret`')
}
