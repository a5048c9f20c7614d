import type { CheckoutPage, InvoicePage } from '@quittance/core'
import { type Html, html } from './html.ts'
import { notice } from './layout.ts'
import { money } from './money.ts'

/** How a page is shown this once. */
export interface Showing {
  /** The page's own path, where its form goes. */
  path: string
  /** A new one for every form: what two clicks on one button have in common. */
  form_key: string
  /** Why the form that was just sent did not pay. */
  refused: string | null
  /** What the payer need not type again; the token they must. */
  typed: { type: string; billing_details: { name: string; postal_code: string } } | null
}

type PaymentMethodType = CheckoutPage['collects'][number]

interface Payable {
  page: CheckoutPage | InvoicePage
  amount: number
  currency: string
  showing: Showing
}

/** One form for each way to pay. Bank debits come with the authorization that their holder accepts. */
export function paymentForms(payable: Payable): Html {
  const { page, showing } = payable
  const { collects } = page
  if (collects.length === 0) return notice('plain', notSetUp(page))
  const first = collects.find((type) => type === showing.typed?.type) ?? collects[0]
  const forms = collects.map((type) =>
    collects.length === 1
      ? html`<section aria-labelledby="${`${type}-heading`}"><h2 id="${`${type}-heading`}">${names[type].heading}</h2>
${form(type, payable)}</section>`
      : html`<details name="method"${type === first ? html` open` : null}><summary>${names[type].heading}</summary>
${form(type, payable)}</details>`,
  )
  return html`${forms}`
}

const names = {
  card: {
    heading: 'Pay by card',
    token: 'Sandbox card token',
    sample: 'tok_test_visa',
    holder: 'Name on card',
  },
  us_bank_account: {
    heading: 'Pay from a US bank account',
    token: 'Sandbox bank account token',
    sample: 'btok_test_success',
    holder: 'Name on account',
  },
} as const

function form(type: PaymentMethodType, { page, amount, currency, showing }: Payable): Html {
  const { token, sample, holder } = names[type]
  const { name = '', postal_code = '' } = showing.typed?.billing_details ?? {}
  return html`<form method="post" action="${showing.path}">
<input type="hidden" name="key" value="${showing.form_key}">
<input type="hidden" name="method" value="${type}">
<input type="hidden" name="amount" value="${amount}">
<label for="${`${type}-token`}">${token}</label>
<input type="text" id="${`${type}-token`}" name="token" required maxlength="255" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="${`${type}-hint`}">
<p class="hint" id="${`${type}-hint`}">For example ${sample}. Never type a real card or account number here.</p>
<label for="${`${type}-name`}">${holder}</label>
<input type="text" id="${`${type}-name`}" name="name" required maxlength="500" autocomplete="${type === 'card' ? 'cc-name' : 'name'}" dir="auto" value="${name}">
<label for="${`${type}-postal-code`}">Postal code</label>
<input type="text" id="${`${type}-postal-code`}" name="postal_code" required maxlength="20" autocomplete="billing postal-code" dir="auto" value="${postal_code}">
${type === 'us_bank_account' && authorization(page)}
<button type="submit">Pay ${money(amount, currency)}</button>
</form>`
}

function authorization({ ach_terms }: Payable['page']): Html | null {
  if (ach_terms === null) return null
  return html`<p class="terms" id="ach-terms">${ach_terms.text}</p>
<input type="hidden" name="terms_version" value="${ach_terms.terms_version}">
<label class="choice"><input type="checkbox" name="accepted" value="yes" required aria-describedby="ach-terms"> I have read this authorization and accept it.</label>`
}

function notSetUp({ of }: Payable['page']): string {
  return of.livemode
    ? 'Card collection is not set up on this page yet. Nothing can be paid here for now.'
    : 'No sandbox payment method is set up for this page. Nothing can be paid here for now.'
}
