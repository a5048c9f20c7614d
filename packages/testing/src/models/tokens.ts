import { isBankToken } from '../builders/requests.ts'
import { day_ms, hour_ms, minute_ms } from '../durations.ts'

export type PaymentStatus = 'processing' | 'succeeded' | 'failed' | 'canceled' | 'returned'
export type RefundStatus = 'pending' | 'succeeded' | 'failed'

/** A change that happens by itself at `at_ms`; the engine knows of it once it has reconciled. */
export interface Coming<Status> {
  at_ms: number
  status: Status
}

export interface Foreseen<Status> {
  /** The code with which the request is refused. */
  code: string | null
  status: Status
  coming: Coming<Status>[]
}

/** The code with which a confirm with the token is refused; null if it succeeds. */
export function foreseenConfirm(token: string): string | null {
  return refused_confirms[token] ?? null
}

/** What becomes of a charge with the token, as documented for the sandbox's test cards and accounts. */
export function foreseenCharge(token: string, now_ms: number): Foreseen<PaymentStatus> {
  if (declined.has(token)) return { code: 'card_declined', status: 'failed', coming: [] }
  const status = isBankToken(token) || isUnanswered(token) ? 'processing' : 'succeeded'
  const coming = (later[token] ?? []).map(([after_ms, status]) => ({ at_ms: now_ms + after_ms, status }))
  return { code: null, status, coming }
}

/** What becomes of a refund of a payment with the token that the processor still can refund. */
export function foreseenRefund(token: string, now_ms: number): Foreseen<RefundStatus> {
  if (token === 'tok_test_refund_refused') return { code: 'refund_failed', status: 'failed', coming: [] }
  const after_an_hour = ({ tok_test_refund_pending: 'succeeded', tok_test_refund_fails: 'failed' } as const)[
    token
  ]
  if (after_an_hour === undefined) return { code: null, status: 'succeeded', coming: [] }
  return { code: null, status: 'pending', coming: [{ at_ms: now_ms + hour_ms, status: after_an_hour }] }
}

/** Whether a charge with this token ever reaches the processor. */
export function reachesProcessor(token: string): boolean {
  return token !== 'tok_test_unreachable'
}

/** Whether the answer to a charge with this token is lost. */
export function isUnanswered(token: string): boolean {
  return token.startsWith('tok_test_unknown_')
}

/** What the processor did with a charge whose answer was lost; `processing` if that stays unknown. */
export function outcomeOfUnanswered(token: string): PaymentStatus {
  return later[token]?.[0]?.[1] ?? 'processing'
}

/** After this time a debit has gone through its batch: it is settled, failed or returned, and cannot be voided. */
export const batch_ms = minute_ms

const refused_confirms: Readonly<Record<string, string>> = {
  tok_test_incorrect_cvc: 'card_verification_failed',
  tok_test_expired: 'card_expired',
  btok_test_verification_fails: 'bank_account_verification_failed',
}

const declined = new Set(['tok_test_declined', 'tok_test_insufficient_funds', 'tok_test_unreachable'])

/** What follows a charge by itself, and how long after it. An unanswered charge is looked up after a minute. */
const later: Readonly<Record<string, readonly (readonly [after_ms: number, status: PaymentStatus])[]>> = {
  tok_test_unknown_approved: [[minute_ms, 'succeeded']],
  tok_test_unknown_declined: [[minute_ms, 'failed']],
  tok_test_chargeback: [[3 * day_ms, 'returned']],
  btok_test_success: [[batch_ms, 'succeeded']],
  btok_test_account_closed: [[batch_ms, 'returned']],
  btok_test_insufficient_funds: [[batch_ms, 'returned']],
  btok_test_late_return: [
    [batch_ms, 'succeeded'],
    [batch_ms + 2 * day_ms, 'returned'],
  ],
  btok_test_refused: [[batch_ms, 'failed']],
}
