/**
 * The processor's own tokens for what the suite wants to happen. Null if it has no such token, or if that takes days of
 * real time: the suite then leaves that sentence out.
 */
export interface ProcessorTokens {
  approved: string
  declined: string
  verification_refused: string | null
  unreachable: string | null
  unanswered_approved: string | null
  unanswered_forever: string | null
  /** A card whose refunds are pending first and then succeed. */
  refund_pending: string | null
  /** A card whose refunds are pending first and then fail. */
  refund_fails: string | null
  refund_refused: string | null
  /** A bank account whose debits settle in the next batch. */
  settles: string | null
  /** A bank account whose debits are returned. */
  returns: string | null
  /** A bank account whose debits settle, and are returned after that. */
  returns_late: string | null
  /** A card whose approved charges are disputed. */
  charged_back: string | null
}

/** The test tokens of the sandbox. */
export const sandbox_tokens: ProcessorTokens = {
  approved: 'tok_test_visa',
  declined: 'tok_test_declined',
  verification_refused: 'tok_test_incorrect_cvc',
  unreachable: 'tok_test_unreachable',
  unanswered_approved: 'tok_test_unknown_approved',
  unanswered_forever: 'tok_test_unknown_forever',
  refund_pending: 'tok_test_refund_pending',
  refund_fails: 'tok_test_refund_fails',
  refund_refused: 'tok_test_refund_refused',
  settles: 'btok_test_success',
  returns: 'btok_test_account_closed',
  returns_late: 'btok_test_late_return',
  charged_back: 'tok_test_chargeback',
}
