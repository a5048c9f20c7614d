import type {
  ChargeAnswer,
  ChargeRequest,
  ChargeState,
  RefundAnswer,
  RefundState,
  Verification,
} from '@quittance/core'
import { day_ms, hour_ms } from './durations.ts'
import type { LedgerChargeState, Step } from './ledger.ts'

export interface TestToken {
  token: string
  type: ChargeRequest['type']
  /** The card number or the account number. */
  number: string
  verification: Verification
  outcome: Outcome
  refund: RefundOutcome
}

/** The answer to a charge, what the ledger then holds (null: nothing at all), and what happens later. */
export interface Outcome {
  answer: ChargeAnswer
  state: LedgerChargeState | null
  /** `batch` is the time at which the charge's batch settles. */
  later: { after_ms: number | 'batch'; state: ChargeState }[]
}

export interface RefundOutcome {
  answer: RefundAnswer
  state: RefundState
  later: Step<RefundState>[]
}

/** The test token behind a card or account number, for a tokenizer; null where there is none. */
export function tokenFor(
  number: { number: string } | { routing_number: string; account_number: string },
): string | null {
  if ('number' in number) return byNumber.get(`card ${number.number.replace(/[\s-]/g, '')}`) ?? null
  if (number.routing_number !== test_routing_number) return null
  return byNumber.get(`us_bank_account ${number.account_number}`) ?? null
}

export function testToken(token: string, type: ChargeRequest['type']): TestToken | null {
  const found = byToken.get(token)
  return found?.type === type ? found : null
}

/** What a bank says with a return code. */
export function returned(return_code: string): ChargeState {
  return {
    kind: 'returned',
    return_code,
    message: return_messages[return_code] ?? 'The bank returned the debit.',
  }
}

export const test_routing_number = '110000000'

const return_messages: Readonly<Record<string, string>> = {
  R01: 'The account does not hold enough money.',
  R02: 'The account is closed.',
  R03: 'No such account was found.',
  R10: 'The account holder says that the debit was not authorized.',
  chargeback: 'The cardholder disputed the charge.',
}

export const card_declined = declined('generic_decline', 'The card was declined.')
export const debit_refused = declined('debit_refused', 'The bank refused the debit.')
const approved: Outcome = { answer: { kind: 'approved' }, state: { kind: 'approved' }, later: [] }
const unreachable: Outcome = { answer: { kind: 'unreachable' }, state: null, later: [] }
const settled = atBatch({ kind: 'settled' })
const charged_back: Outcome = {
  ...approved,
  later: [{ after_ms: 3 * day_ms, state: returned('chargeback') }],
}

export const refunded: RefundOutcome = {
  answer: { kind: 'succeeded' },
  state: { kind: 'succeeded' },
  later: [],
}
const refund_refused = {
  kind: 'refused',
  failure_code: 'refund_refused',
  message: 'The bank refuses refunds to this card.',
} as const
export const refund_rejected = {
  kind: 'refused',
  failure_code: 'refund_rejected',
  message: 'The bank rejected the refund.',
} as const

const tokens: readonly TestToken[] = [
  card('tok_test_visa', '4242424242424242', approved),
  card('tok_test_mastercard', '5555555555554444', approved),
  card('tok_test_amex', '378282246310005', approved),
  card('tok_test_declined', '4000000000000002', card_declined),
  card(
    'tok_test_insufficient_funds',
    '4000000000009995',
    declined('insufficient_funds', 'The card has insufficient funds.'),
  ),
  {
    ...card(
      'tok_test_incorrect_cvc',
      '4000000000000127',
      declined('incorrect_cvc', 'The security code is incorrect.'),
    ),
    verification: { kind: 'refused', message: 'The security code is incorrect.' },
  },
  {
    ...card('tok_test_expired', '4000000000000069', declined('expired_card', 'The card has expired.')),
    verification: verifiedCard('4000000000000069', { exp_month: 1, exp_year: 2020 }),
  },
  card('tok_test_unreachable', '4000000000000119', unreachable),
  card('tok_test_unknown_approved', '4000000000000606', unanswered({ kind: 'approved' })),
  card('tok_test_unknown_declined', '4000000000000614', unanswered(card_declined.state)),
  card('tok_test_unknown_forever', '4000000000000622', unanswered({ kind: 'undecided' })),
  card('tok_test_chargeback', '4000000000000259', charged_back),
  {
    ...card('tok_test_refund_pending', '4000000000007726', approved),
    refund: pendingThen({ kind: 'succeeded' }),
  },
  { ...card('tok_test_refund_fails', '4000000000005126', approved), refund: pendingThen(refund_rejected) },
  {
    ...card('tok_test_refund_refused', '4000000000003238', approved),
    refund: { answer: refund_refused, state: refund_refused, later: [] },
  },

  account('btok_test_success', '000123456789', settled),
  account('btok_test_account_closed', '000111111113', atBatch(returned('R02'))),
  account('btok_test_insufficient_funds', '000222222227', atBatch(returned('R01'))),
  account('btok_test_late_return', '000555555559', {
    ...settled,
    later: [...settled.later, { after_ms: 2 * day_ms, state: returned('R01') }],
  }),
  account('btok_test_refused', '000444444440', atBatch(debit_refused.state)),
  {
    ...account(
      'btok_test_verification_fails',
      '000666666661',
      declined('account_not_verified', 'The account is not verified.'),
    ),
    verification: { kind: 'refused', message: 'The bank account could not be verified.' },
  },
  account('btok_test_never_settles', '000000000009', {
    answer: { kind: 'accepted' },
    state: { kind: 'accepted' },
    later: [],
  }),
]

const byToken = new Map(tokens.map((row) => [row.token, row]))
const byNumber = new Map(tokens.map((row) => [`${row.type} ${row.number}`, row.token]))

function card(token: string, number: string, outcome: Outcome): TestToken {
  return {
    token,
    type: 'card',
    number,
    verification: verifiedCard(number, { exp_month: 12, exp_year: 2034 }),
    outcome,
    refund: refunded,
  }
}

function account(token: string, number: string, outcome: Outcome): TestToken {
  const us_bank_account = {
    bank_name: 'Test Bank',
    routing_number: test_routing_number,
    last4: number.slice(-4),
    account_type: 'checking',
    account_holder_type: 'individual',
  }
  const verification: Verification = { kind: 'verified', type: 'us_bank_account', us_bank_account }
  return { token, type: 'us_bank_account', number, verification, outcome, refund: refunded }
}

function verifiedCard(number: string, expiry: { exp_month: number; exp_year: number }): Verification {
  const brand = number.startsWith('3') ? 'amex' : number.startsWith('5') ? 'mastercard' : 'visa'
  return {
    kind: 'verified',
    type: 'card',
    card: { brand, last4: number.slice(-4), ...expiry, funding: 'credit' },
  }
}

export function declined(decline_code: string, message: string) {
  const state = { kind: 'declined', decline_code, message } as const
  return { answer: state, state, later: [] } satisfies Outcome
}

function unanswered(state: LedgerChargeState): Outcome {
  return { answer: { kind: 'unanswered' }, state, later: [] }
}

function atBatch(state: ChargeState): Outcome {
  return { answer: { kind: 'accepted' }, state: { kind: 'accepted' }, later: [{ after_ms: 'batch', state }] }
}

function pendingThen(state: RefundState): RefundOutcome {
  return { answer: { kind: 'pending' }, state: { kind: 'pending' }, later: [{ after_ms: hour_ms, state }] }
}
