import type { RefundAnswer, RefundRequest } from '@quittance/core'
import type { Book } from './book.ts'
import type { ChargeRecord } from './records.ts'
import { assertAmount, assertSameRequest } from './request.ts'
import { type RefundOutcome, refunded, testToken } from './test-tokens.ts'

/** Refunds once for a key, never more than was captured and is neither refunded nor promised yet. */
export function refund(book: Book, request: RefundRequest): RefundAnswer {
  assertAmount(request.amount)
  book.advance(request.at)
  const { key, charge_key, amount, currency, at } = request
  if (book.charges.has(key)) throw new Error(`The key ${key} belongs to a charge.`)
  const known = book.refunds.get(key)
  if (known !== undefined) {
    assertSameRequest({ key, amount, currency, about: charge_key }, { ...known, about: known.charge_key })
    return known.answer
  }
  if (book.fences.has(key))
    return refused('expired_key', 'The key was reported as not found, and cannot be used any more.')

  const outcome = outcomeOf(book.charges.get(charge_key), request)
  book.post({
    entry: 'refund',
    ...{ key, charge_key, amount, currency, at },
    answer: outcome.answer,
    state: outcome.state,
    plan: outcome.later,
  })
  return outcome.answer
}

function outcomeOf(charge: ChargeRecord | undefined, { amount, currency }: RefundRequest): RefundOutcome {
  if (charge === undefined) return notPossible('charge_not_found', 'There is no such charge.')
  if (charge.state.kind === 'returned') return notPossible('charge_returned', 'The charge was returned.')
  if (!charge.captured) return notPossible('charge_not_captured', 'The charge has not moved any money.')
  if (charge.currency !== currency)
    return notPossible('currency_mismatch', 'The charge is in another currency.')
  if (charge.promised + amount > charge.amount) {
    return notPossible('exceeds_balance', 'The refund exceeds what is left of the charge.')
  }
  return testToken(charge.token, charge.type)?.refund ?? refunded
}

function notPossible(failure_code: string, message: string): RefundOutcome {
  const answer = refused(failure_code, message)
  return { answer, state: answer, later: [] }
}

function refused(failure_code: string, message: string) {
  return { kind: 'refused', failure_code, message } as const
}
