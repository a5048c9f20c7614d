import type {
  ChargeAnswer,
  ChargeRequest,
  ChargeState,
  RefundAnswer,
  RefundRequest,
  RefundState,
} from '@quittance/core'
import type { LedgerChargeState, Step } from './ledger.ts'

/** What the ledger holds of a charge: what was requested, and what became of it, states oldest first. */
export interface LedgerCharge extends Readonly<ChargeRequest> {
  readonly of: 'charge'
  readonly state: LedgerChargeState
  readonly history: readonly { at: string; state: LedgerChargeState }[]
}

export interface LedgerRefund extends Readonly<RefundRequest> {
  readonly of: 'refund'
  /** The token of the charge. */
  readonly token: string
  readonly state: RefundState
  readonly history: readonly { at: string; state: RefundState }[]
}

/** Money that moved in one currency. `returned` is net of refunds, so the three never sum below zero. */
export interface Totals {
  captured: number
  refunded: number
  returned: number
}

export interface ChargeRecord extends LedgerCharge {
  state: LedgerChargeState
  readonly history: { at: string; state: LedgerChargeState }[]
  readonly answer: ChargeAnswer
  readonly cut_off_ms: number | null
  /** Whether it was ever approved or settled: only then is there money to refund. */
  captured: boolean
  /** Refunds that succeeded. */
  refunded: number
  /** Refunds that succeeded or still may. */
  promised: number
  /** The steps still to come; the first is in the queue as `due`. */
  plan: readonly Step<ChargeState>[]
  due: Due | null
}

export interface RefundRecord extends LedgerRefund {
  state: RefundState
  readonly history: { at: string; state: RefundState }[]
  readonly answer: RefundAnswer
  plan: readonly Step<RefundState>[]
  due: Due | null
}

/** A queued step. It is void once its record points to another one. */
export interface Due {
  due_ms: number
  record: ChargeRecord | RefundRecord
}
