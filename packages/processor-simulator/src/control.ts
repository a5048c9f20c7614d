import { type ChargeState, iso, type RefundState, type SandboxControl } from '@quittance/core'
import type { Book } from './book.ts'
import type { ChargeRecord } from './records.ts'
import { card_declined, debit_refused, refund_rejected, returned } from './test-tokens.ts'

/** Makes happen now what would happen later, or never, by itself. */
export function sandboxControl(book: Book): SandboxControl {
  return {
    settle: (key, at) =>
      changeCharge(key, at, (charge) => {
        if (charge.type === 'us_bank_account')
          return charge.state.kind === 'accepted' ? { kind: 'settled' } : null
        return mayBecome(charge, 'approved') ? { kind: 'approved' } : null
      }),
    fail: (key, at) =>
      changeCharge(key, at, (charge) => {
        if (charge.type === 'us_bank_account')
          return charge.state.kind === 'accepted' ? debit_refused.state : null
        if (!mayBecome(charge, 'declined')) return null
        return charge.state.kind === 'declined' ? charge.state : card_declined.state
      }),
    returnCharge: (key, return_code, at) =>
      changeCharge(key, at, ({ type, state }) => {
        const allowed = type === 'us_bank_account' && (state.kind === 'accepted' || state.kind === 'settled')
        return allowed ? returned(return_code) : null
      }),
    chargeback: (key, at) =>
      changeCharge(key, at, ({ type, state }) =>
        type === 'card' && state.kind === 'approved' ? returned('chargeback') : null,
      ),
    succeedRefund: (key, at) => changeRefund(key, at, { kind: 'succeeded' }),
    failRefund: (key, at) => changeRefund(key, at, refund_rejected),
  }

  function changeCharge(
    key: string,
    at: string,
    next: (charge: ChargeRecord) => ChargeState | null,
  ): boolean {
    return book.turn(() => {
      const now_ms = book.advance(at)
      const charge = book.charges.get(key)
      const state = charge === undefined ? null : next(charge)
      if (state === null) return false
      book.post({ entry: 'change', of: 'charge', key, at: iso(now_ms), notified: true, state })
      return true
    })
  }

  function changeRefund(key: string, at: string, state: RefundState): boolean {
    return book.turn(() => {
      const now_ms = book.advance(at)
      if (book.refunds.get(key)?.state.kind !== 'pending') return false
      book.post({ entry: 'change', of: 'refund', key, at: iso(now_ms), notified: true, state })
      return true
    })
  }
}

/** Whether a card charge is unanswered: undecided, or decided as `kind` without anybody having been told yet. */
function mayBecome(charge: ChargeRecord, kind: 'approved' | 'declined'): boolean {
  if (charge.answer.kind !== 'unanswered' || charge.history.length > 1) return false
  return charge.state.kind === 'undecided' || charge.state.kind === kind
}
