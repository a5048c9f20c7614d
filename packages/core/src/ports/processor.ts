import type { BankAccountDetails, CardDetails, PaymentMethodType } from '../payment-methods/payment-method.ts'

/**
 * The payment processor of one environment. It charges, refunds and remembers by a key that the engine derives from its own
 * ids: the same key never moves money twice. Every call may throw; a throw means "nobody knows", never "refused".
 * `describeProcessor` in the testing package checks each sentence here. Without the processor's ledger the suite cannot see a
 * key that charges twice and repeats its first answer.
 */
export interface Processor {
  /** The payment method types it can charge in this environment. */
  readonly types: readonly PaymentMethodType[]
  /**
   * Exchanges a token from the browser for what may be shown of the card or account behind it; `unknown_token` also for a token
   * of another type. Verifying spends no token: it may be verified again, and a saved one is charged more than once.
   */
  verify(request: { token: string; type: PaymentMethodType; at: string }): PromiseLike<Verification>
  /** Charges once per key. For a key it knows, it repeats its first answer. */
  charge(request: ChargeRequest): PromiseLike<ChargeAnswer>
  /**
   * Gives money back, once per key, and never more than was captured: it refuses more than is left of a charge, and all of one
   * that was stopped, declined or returned. For a key that it refused, it refuses for ever.
   */
  refund(request: RefundRequest): PromiseLike<RefundAnswer>
  /**
   * Stops a charge before the batch cut-off, also when called again; `too_late` once the batch has it, and for an unknown
   * charge, which may still be on its way.
   */
  void(request: { key: string; at: string }): PromiseLike<'voided' | 'too_late'>
  /**
   * What became of the request with this key; `unknown` as long as it cannot tell. `not_found` is final: from then on a
   * charge with this key answers `{ kind: 'declined', … }` and a refund `{ kind: 'refused', … }`, for ever, so that a
   * request still on its way can no longer move money.
   */
  lookup(request: { key: string; at: string }): PromiseLike<Lookup>
  /**
   * Its notifications since `after` (null: from the beginning), oldest first, also those that it told before. It may repeat
   * some, each under the same id as before.
   */
  notifications(request: { after: string | null; at: string }): PromiseLike<NotificationPage>
  /**
   * When its next notification is due, if it knows: a simulator does, a real processor answers null. A notification that
   * nobody has read yet comes first, with its time in the past; later ones are named once that was read.
   */
  nextNotificationAt(): PromiseLike<string | null>
}

/** One charge, which `key` names for good: asked for again, it is still made once. */
export interface ChargeRequest {
  /** Some 70 characters. Keys may differ only in the last ones, or in case. */
  key: string
  token: string
  type: PaymentMethodType
  /** In cents. */
  amount: number
  currency: string
  /** The engine's time, in which a simulator lives; a real processor has its own. */
  at: string
}

/** One refund, under a key of its own. */
export interface RefundRequest {
  key: string
  /** The key of the charge to give back. */
  charge_key: string
  /** In cents. */
  amount: number
  currency: string
  at: string
}

export type Verification =
  | { kind: 'verified'; type: 'card'; card: CardDetails }
  | { kind: 'verified'; type: 'us_bank_account'; us_bank_account: BankAccountDetails }
  | { kind: 'refused'; message: string }
  | { kind: 'unknown_token' }

/** `unreachable` only if the request provably never left (connection refused, name not found). */
export type ChargeAnswer =
  | { kind: 'approved' }
  | { kind: 'accepted' }
  | { kind: 'declined'; decline_code: string; message: string }
  | { kind: 'unanswered' }
  | { kind: 'unreachable' }

export type RefundAnswer =
  | { kind: 'succeeded' }
  | { kind: 'pending' }
  | { kind: 'refused'; failure_code: string; message: string }
  | { kind: 'unanswered' }
  | { kind: 'unreachable' }

/**
 * The state of a charge. For a card, `approved` and `settled` both mean that the money was taken. A bank debit is
 * `accepted`, then `settled`. A chargeback is a return with the code `chargeback`.
 */
export type ChargeState =
  | { kind: 'approved' | 'accepted' | 'settled' | 'voided' }
  | { kind: 'declined'; decline_code: string; message: string }
  | { kind: 'returned'; return_code: string; message: string }

export type RefundState =
  | { kind: 'succeeded' | 'pending' }
  | { kind: 'refused'; failure_code: string; message: string }

export type Lookup =
  | { kind: 'charge'; state: ChargeState }
  | { kind: 'refund'; state: RefundState }
  | { kind: 'not_found' }
  | { kind: 'unknown' }

/** One line of a settlement batch, a return, a chargeback, or the outcome of a refund. */
export type Notification =
  | { id: string; of: 'charge'; key: string; state: ChargeState }
  | { id: string; of: 'refund'; key: string; state: RefundState }

export interface NotificationPage {
  notifications: Notification[]
  /** The next `after`; unchanged if there was nothing. */
  cursor: string | null
}
