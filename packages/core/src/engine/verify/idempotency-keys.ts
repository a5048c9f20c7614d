import type { IdempotencyKeyRow } from '../../idempotency-keys/idempotency-key.ts'
import type { Reads } from '../../ports/store.ts'
import { type TableName, tables } from '../../ports/tables.ts'
import { isSealed } from '../idempotency/key-decisions.ts'
import { notOverdue, notPutOff } from './any-row.ts'
import { type Around, check } from './check.ts'
import type { Report } from './violation.ts'

export const idempotencyKeys = check(
  'idempotency_keys',
  ['keysOf'],
  notOverdue,
  ({ lease_until: due_at, created_at: changed_at }, around, report) =>
    notPutOff({ due_at, changed_at }, around, report),
  checkAnswer,
  checkIntent,
  checkMaker,
  checkBody,
)

/** M42, M44: either in flight or answered, with what was made under it, and due again in both cases. */
async function checkAnswer(key: IdempotencyKeyRow, { rows }: Around, report: Report): Promise<void> {
  const { intent, lease_until, answer_status, answer_body, answer_event, due_at } = key
  const in_flight = lease_until !== null
  const answered = answer_body !== null || answer_event !== null
  if (in_flight === answered)
    report('M44', in_flight ? 'is in flight and answered' : 'is neither in flight nor answered')
  if (answered !== (answer_status !== null))
    report('M44', `is ${answered ? '' : 'not '}answered, with status ${answer_status}`)
  else if (answer_status !== null && answer_status !== 200 && answer_status < 400)
    report('M44', `answered ${answer_status}`)
  if (due_at === null) report('M44', 'will never be looked at again')
  if (answer_event === null) return
  const event = await rows.events.get(answer_event)
  if (event === undefined) report('M42', `answers with ${answer_event}, which is not there`, answer_event)
  else if (intent !== null && event.subject !== intent)
    report('M42', `made ${intent}, and answers with an event about ${event.subject}`)
  else if (answer_status !== 200 || event.type.endsWith('.failed'))
    report('M44', `answered ${answer_status} with ${event.type}`)
}

/** M2, M44: what the request made or changed exists, is as old as the key, and agrees with the stored answer's status. */
async function checkIntent(key: IdempotencyKeyRow, { rows }: Around, report: Report): Promise<void> {
  const { operation, intent, answer_status, created_at } = key
  if (intent === null) {
    if (answer_status === 200 && makes(operation))
      report('M2', 'answered 200, and does not name what it made')
    return
  }
  const made = await madeBy(operation, rows, intent)
  if (made === undefined) report('M2', `made ${intent}, which is not there`)
  else if (makes(operation) && made.created_at !== created_at)
    report('M2', `made ${intent} at ${created_at}, which was made at ${made.created_at}`)
  else if (answer_status === 402 && made.status !== 'failed')
    report('M44', `answered 402, and ${intent} is ${made.status}`)
  else if (answer_status === 200 && made.status === null)
    report('M44', `answered 200, and ${intent} is an intent`)
}

interface Made {
  created_at: string
  status?: string | null
}

/** The row that a request made or changed: a payment, or one of the operation's own table. */
async function madeBy(operation: string, rows: Reads, id: string): Promise<Made | undefined> {
  const [resource = '', verb] = operation.split('.')
  const table = verb === 'pay' ? 'payments' : resource
  return Object.hasOwn(tables, table)
    ? await (rows[table as TableName].get(id) as PromiseLike<Made>)
    : undefined
}

/** Whether requests of this name make what they name; others only change it, and test helpers name nothing. */
function makes(operation: string): boolean {
  return /\.(create|pay)$/.test(operation)
}

/** M2: no other request made the same object. */
async function checkMaker(key: IdempotencyKeyRow, { keysOf }: Around, report: Report): Promise<void> {
  const { id, intent } = key
  if (intent === null || !makes(key.operation)) return
  const other = (await keysOf(intent)).find((one) => one.id !== id && makes(one.operation))
  if (other !== undefined) report('M2', `made ${intent}, which another key made too: ${other.id}`)
}

/** M42, M44: the answer can be replayed, and shows the object that was made, or a refusal. */
function checkBody(key: IdempotencyKeyRow, { opened }: Around, report: Report): void {
  const { intent, answer_status, answer_body } = key
  const body = answer_body !== null && isSealed(answer_body) ? opened(answer_body) : answer_body
  if (answer_body !== null && body === null) report('M42', 'its answer does not open with this `secret`')
  if (body == null) return
  const { id, error } = parsed(body)
  if ((error === undefined) !== (answer_status === 200))
    report('M44', `answered ${answer_status} with ${error?.code ?? 'an object'}`)
  const shown = error === undefined ? id : (error?.payment ?? error?.refund)
  if (intent !== null && shown !== undefined && shown !== intent)
    report('M42', `made ${intent}, and its answer shows ${shown}`)
}

interface Said {
  id?: string
  error?: { code?: string; payment?: string; refund?: string } | null
}

/** A body that is not JSON shows nothing. */
function parsed(body: string): Said {
  try {
    return (JSON.parse(body) as Said | null) ?? {}
  } catch {
    return {}
  }
}
