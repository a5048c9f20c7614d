import { type ChargeAnswer, type ChargeRequest, iso } from '@quittance/core'
import type { Book } from './book.ts'
import { assertAmount, assertSameRequest } from './request.ts'
import type { Batch } from './settlement.ts'
import { declined, type TestToken } from './test-tokens.ts'

/** Charges once for a key. `token` is what stands behind the request's token, `batchAfter` when a debit settles. */
export function charge(
  book: Book,
  request: ChargeRequest,
  context: { token: TestToken | null; batchAfter: (at_ms: number) => Batch },
): ChargeAnswer {
  assertAmount(request.amount)
  book.advance(request.at)
  const { key, token, type, amount, currency, at } = request
  if (book.refunds.has(key)) throw new Error(`The key ${key} belongs to a refund.`)
  const known = book.charges.get(key)
  if (known !== undefined) {
    assertSameRequest({ key, amount, currency, about: token }, { ...known, about: known.token })
    return known.answer
  }
  const outcome = context.token?.outcome ?? declined('invalid_token', 'There is no such token.')
  // Leaves nothing in the ledger, so that even a fenced key gets this answer.
  if (outcome.state === null) return outcome.answer
  if (book.fences.has(key)) return expired_key

  const at_ms = Date.parse(at)
  const batch = outcome.answer.kind === 'accepted' ? context.batchAfter(at_ms) : null
  book.post({
    entry: 'charge',
    ...{ key, token, type, amount, currency, at },
    answer: outcome.answer,
    state: outcome.state,
    plan: outcome.later.map(({ after_ms, state }) => ({
      after_ms: after_ms === 'batch' ? (batch?.settles_ms ?? at_ms) - at_ms : after_ms,
      state,
    })),
    cut_off_at: batch === null ? null : iso(batch.cut_off_ms),
  })
  return outcome.answer
}

/** Voids a charge before the batch cut-off. A charge that is not found may still be on its way: too late as well. */
export function voidCharge(book: Book, { key, at }: { key: string; at: string }): 'voided' | 'too_late' {
  const now_ms = book.advance(at)
  const known = book.charges.get(key)
  if (known?.state.kind === 'voided') return 'voided'
  if (known?.state.kind !== 'accepted' || known.cut_off_ms === null || now_ms >= known.cut_off_ms)
    return 'too_late'
  const change = { entry: 'change', of: 'charge', key, at: iso(now_ms) } as const
  book.post({ ...change, notified: false, state: { kind: 'voided' } })
  return 'voided'
}

const expired_key: ChargeAnswer = {
  kind: 'declined',
  decline_code: 'expired_key',
  message: 'The key was reported as not found, and cannot be used any more.',
}
