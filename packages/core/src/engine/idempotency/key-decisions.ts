import { hash } from 'node:crypto'
import { catalogue } from '../../errors/catalogue.ts'
import { type DomainError, fail } from '../../errors/domain-error.ts'
import type { IdempotencyKeyRow } from '../../idempotency-keys/idempotency-key.ts'
import { nextLookupAt } from '../../kernel/lookup-schedule.ts'
import type { Context, Unit } from '../../kernel/operation.ts'
import { ok } from '../../kernel/result.ts'
import { earlier, later, second_ms, shifted } from '../../schema/timestamps.ts'
import type { RenderedAnswer } from '../request/answer.ts'

/** How long a request may run under its key before a retry or the reconciler takes over. */
const lease_ms = 30 * second_ms

/** How a request uses a key. */
interface KeyUse {
  idempotency_key: string
  operation: string
  fingerprint: string
  request_id: string
}

/** Whether this may be an Idempotency-Key: 1 to 255 printable ASCII characters without spaces. */
export function isIdempotencyKey(key: string): boolean {
  return /^[\x21-\x7e]{1,255}$/.test(key)
}

/** Keeps the keys of payers and of the dashboard apart from the merchant's own. Hashed, so that none is too long. */
export function hashedKey(origin: 'page' | 'browser' | 'admin', text: string): string {
  return `${origin}_${hash('sha256', text, 'base64url')}`
}

/**
 * What a key that was seen before means for this request: the stored answer, a refusal, or an abandoned request,
 * whose lease is over and whose work is to be finished.
 */
export function decideKey(row: IdempotencyKeyRow, use: KeyUse, now: string) {
  if (row.fingerprint !== use.fingerprint) return fail('idempotency_key_reused')
  if (row.lease_until === null) return ok('answered' as const)
  return row.lease_until > now ? fail('idempotency_key_in_flight') : ok('abandoned' as const)
}

/** The lease counts from `leased_at`, and ends before the intent, which counts from `now`, is looked up. */
export function newKey({ scope, now }: Context, use: KeyUse, leased_at = now): IdempotencyKeyRow {
  const lease_until = earlier(shifted(leased_at, lease_ms), nextLookupAt(0, now))
  return {
    ...scope,
    id: use.idempotency_key,
    operation: use.operation,
    fingerprint: use.fingerprint,
    request_id: use.request_id,
    lease_until,
    intent: null,
    answer_status: null,
    answer_body: null,
    answer_event: null,
    created_at: now,
    due_at: lease_until,
  }
}

/** How an answer is kept: from when, how long, which events may hold it already, and how to seal one that may show a secret. */
export interface Remembering {
  now: string
  retention_ms: number
  announced: readonly { event: { id: string }; object_json: string }[]
  seal?: (body: string) => string
}

/** The row with its answer: bytes, or the event that already holds the answered object. */
export function withAnswer(
  row: IdempotencyKeyRow,
  answer: RenderedAnswer,
  { now, retention_ms, announced, seal }: Remembering,
): IdempotencyKeyRow {
  const filed = announced.find(({ object_json }) => object_json === answer.body)
  return {
    ...row,
    lease_until: null,
    answer_status: answer.status,
    answer_body: filed ? null : (seal?.(answer.body) ?? answer.body),
    answer_event: filed?.event.id ?? null,
    // From now: a key answered late, because its process died, would otherwise be deleted before anybody saw the answer.
    due_at: shifted(later(now, row.created_at), retention_ms),
  }
}

/** Whether an error is stored under the key. Not stored: those about the key, or about payment details in the clear. */
export function isStored({ code }: Pick<DomainError, 'code'>): boolean {
  const [, type] = catalogue[code]
  return (
    type !== 'idempotency_error' && code !== 'card_not_tokenized' && code !== 'bank_account_not_tokenized'
  )
}

/** An answer is a JSON object. A sealed one is base64url, which has no brace. */
export function isSealed(answer_body: string): boolean {
  return !answer_body.startsWith('{')
}

export async function readAnswer(
  { tx, secrets }: Pick<Unit, 'tx' | 'secrets'>,
  row: IdempotencyKeyRow,
): Promise<RenderedAnswer> {
  const status = row.answer_status ?? 200
  if (row.answer_body !== null) {
    const { answer_body } = row
    return { status, body: isSealed(answer_body) ? secrets.decrypt(answer_body) : answer_body }
  }
  const event = await tx.events.get(row.answer_event ?? '')
  if (!event) throw new Error('An idempotency key names an event that is not there.')
  const { data } = JSON.parse(event.body) as { data: { object: unknown } }
  return { status, body: JSON.stringify(data.object) }
}
