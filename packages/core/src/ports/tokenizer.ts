/**
 * Turns what a payer typed into a token that the processor knows. It stands behind the frames of Elements, never behind the
 * API, and is the only place that sees a number: it neither keeps nor logs what it is given. It throws on a fault, and the
 * error must not contain a digit of the number. Not needed with a processor that serves the fields itself.
 */
export interface Tokenizer {
  card(card: TypedCard): PromiseLike<Tokenized>
  bankAccount(account: TypedBankAccount): PromiseLike<Tokenized>
}

/** Digits only, and well-formed; whether the card exists is not known yet. */
export interface TypedCard {
  number: string
  exp_month: number
  /** Four digits. */
  exp_year: number
  cvc: string
}

/** Digits only; the routing number's check digit is valid. */
export interface TypedBankAccount {
  routing_number: string
  account_number: string
}

/**
 * `refused`: something the payer can correct. `test_details_only` is shown in the payer's language; any other `code`
 * is shown with its `message`, which must be written for payers.
 */
export type Tokenized =
  | { kind: 'token'; token: string }
  | { kind: 'refused'; code: 'test_details_only' | (string & {}); message: string }
