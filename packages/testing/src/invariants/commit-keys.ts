import type { Tables } from '@quittance/core'
import { type Commit, type Moved, rowAt } from './commit.ts'
import { checkKey, isAnswerChanged } from './keys.ts'
import type { Report } from './moment.ts'

type Key = Tables['idempotency_keys']

/** M2, M42, M44: a key stands for one request, and is answered once. */
export function checkKeyMove(
  _commit: Commit,
  { id, was, is }: Moved<'idempotency_keys'>,
  report: Report,
): void {
  checkKey(is, report)
  checkRequestId(is, report)
  if (was === undefined) return
  if (was.fingerprint !== is.fingerprint || was.request_id !== is.request_id || was.intent !== is.intent)
    report('M2', `${id} became another request's`)
  if (was.lease_until === null && isAnswerChanged(was, is))
    report('M42', `the answer under ${id} was changed`)
}

/** M2, M42, M43: a key is forgotten when its retention is over, and not before. */
export function checkKeyGone(commit: Commit, was: Key, report: Report): void {
  const { id, lease_until, due_at, intent } = was
  if (lease_until === null && (due_at === null || due_at > commit.now))
    report('M42', `the answer under ${id} was forgotten at ${commit.now}, before ${due_at}`)
  if (lease_until !== null && lease_until > commit.now)
    report('M43', `${id} was let go while its request ran`)
  const made = rowAt(commit, 'payments', intent) ?? rowAt(commit, 'refunds', intent)
  if (lease_until !== null && made) report('M2', `${id} was let go and had made ${made.id}`)
}

/** M42: a stored error names the request that met it, whoever recorded it. */
function checkRequestId({ id, request_id, answer_status, answer_body }: Key, report: Report): void {
  if (answer_status === null || answer_status < 400 || !answer_body?.startsWith('{')) return
  const { error } = JSON.parse(answer_body) as { error?: { request_id?: string } }
  if (error?.request_id !== request_id)
    report('M42', `${id} keeps an answer to ${error?.request_id}, and was used by ${request_id}`)
}
