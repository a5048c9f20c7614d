/**
 * Turns what a payer typed into a token that the processor knows. It stands behind the frames of Elements, never
 * behind the API, and is the only place that sees a number: it keeps and logs nothing of what it is given. A fault is
 * thrown; what is thrown may name no digit either. A processor whose own page holds the fields needs none of this.
 */
export interface Tokenizer {
  card(card: TypedCard): PromiseLike<Tokenized>
  bankAccount(account: TypedBankAccount): PromiseLike<Tokenized>
}

/** Digits only, of a right form; whether there is such a card is not known yet. */
export interface TypedCard {
  number: string
  exp_month: number
  /** With its century. */
  exp_year: number
  cvc: string
}

/** Digits only; the routing number's check digit is right. */
export interface TypedBankAccount {
  routing_number: string
  account_number: string
}

/**
 * `refused`: the payer can mend it. `test_details_only` is said in the payer's language; another `code` is shown with
 * its `message`, so that the message is written for a payer.
 */
export type Tokenized =
  | { kind: 'token'; token: string }
  | { kind: 'refused'; code: 'test_details_only' | (string & {}); message: string }
