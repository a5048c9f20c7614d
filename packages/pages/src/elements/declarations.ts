/** `<quittance-card>` as a page's own TypeScript sees it, beside all that an `HTMLElement` has. */
export interface QuittanceCard {
  disabled: boolean
  focus(): void
  clear(): void
  tokenize(): Promise<string>
  confirm(options: ConfirmOptions): Promise<ConfirmedSession>
}

/** `<quittance-bank-account>`, likewise. */
export interface QuittanceBankAccount extends QuittanceCard {
  /** The authorization that the holder accepts below the fields. Null if there is none. */
  authorization: Authorization | null
}

/** The text an account's holder accepts, as the session gives it (`ach_authorization`). */
export interface Authorization {
  text: string
  terms_version: string
}

/** What the page knows and an element does not. */
export interface ConfirmOptions {
  /** `pk_…`: the one kind of key that may be in a page. */
  publishableKey: string
  /** Of the session that the merchant's server made. */
  clientSecret: string
  billingDetails: { name: string; postal_code: string }
}

/** The payment method session, as the API shows it to a browser. */
export interface ConfirmedSession {
  object: 'payment_method_session'
  id: string
  status: string
  [field: string]: unknown
}
