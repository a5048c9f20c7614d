import type { CheckoutPage, InvoicePage, PaymentMethodType } from '@quittance/core'
import { type Html, html } from './html.ts'
import { icons } from './icons.ts'
import { type Language, money } from './language.ts'
import { notice } from './layout.ts'
import type { TextName } from './texts/en.ts'
import type { TokenFields } from './token-fields.ts'

/** What a page depends on besides its state. */
export interface Showing {
  language: Language
  /** The page's own path, where its form goes. */
  path: string
  /** New for every form that is shown; two clicks on one button send the same. */
  form_key: string
  /** Why the form that was just sent did not pay. */
  refused: TextName | null
  /** What the payer need not type again, unlike the token. */
  typed: { type: string; billing_details: { name: string; postal_code: string } } | null
  token_fields: TokenFields
}

interface Payable {
  page: CheckoutPage | InvoicePage
  amount: number
  currency: string
  showing: Showing
}

/** One form for each way to pay. Bank debits come with the authorization that their holder accepts. */
export function paymentForms(payable: Payable): Html {
  const { page, showing } = payable
  const { texts } = showing.language
  const { collects } = page
  const refused = showing.refused === null ? null : notice('bad', texts[showing.refused])
  if (collects.length === 0) return html`${refused}${notice('plain', texts[notSetUp(page)])}`
  const first = collects.find((type) => type === showing.typed?.type) ?? collects[0]
  const ways = collects.map((type) => {
    const heading = html`${icons[type]} ${texts[names[type].heading]}`
    return collects.length === 1
      ? html`<div class="way"><h2>${heading}</h2>
${form(type, payable)}</div>`
      : html`<details class="way" name="method"${type === first ? html` open` : null}><summary>${heading}</summary>
${form(type, payable)}</details>`
  })
  return html`${refused}<section class="ways" aria-label="${texts.way_to_pay}">${ways}</section>
${showing.token_fields.footnote(texts)}`
}

function notSetUp(page: Payable['page']): TextName {
  if (!page.of.livemode) return 'not_set_up_sandbox'
  const card = page.kind === 'invoice' || page.session.payment_method_types.includes('card')
  return card ? 'not_set_up_live' : 'bank_not_set_up_live'
}

const names = {
  card: { heading: 'card', holder: 'card_holder', autocomplete: 'cc-name' },
  us_bank_account: { heading: 'bank_account', holder: 'bank_account_holder', autocomplete: 'name' },
} as const

function form(type: PaymentMethodType, { page, amount, currency, showing }: Payable): Html {
  const { language, path, form_key, typed, token_fields } = showing
  const { texts } = language
  const { name = '', postal_code = '' } = typed?.billing_details ?? {}
  return html`<form method="post" action="${path}">
<input type="hidden" name="key" value="${form_key}">
<input type="hidden" name="method" value="${type}">
<input type="hidden" name="amount" value="${amount}">
${token_fields.field(type, language)}
<label for="${type}-name">${texts[names[type].holder]}</label>
<input type="text" id="${type}-name" name="name" required maxlength="500" autocomplete="${names[type].autocomplete}" autocapitalize="words" spellcheck="false" enterkeyhint="go" dir="auto" value="${name}">
<label for="${type}-postal-code">${texts.postal_code}</label>
<input type="text" id="${type}-postal-code" name="postal_code" required maxlength="20" autocomplete="billing postal-code" autocapitalize="characters" spellcheck="false" enterkeyhint="go" dir="auto" value="${postal_code}">
${type === 'us_bank_account' && authorization(page, language)}
<button type="submit"${token_fields.tokens !== 'typed' && html` disabled data-awaits-elements`}>${texts.pay} ${money(amount, currency, language)}</button>
</form>`
}

/** Its text is recorded word for word, so it is English on every page. */
function authorization({ ach_terms }: Payable['page'], { texts }: Language): Html | null {
  if (ach_terms === null) return null
  return html`<p class="terms" id="ach-terms" lang="en">${ach_terms.text}</p>
<input type="hidden" name="terms_version" value="${ach_terms.terms_version}">
<label class="choice"><input type="checkbox" name="accepted" value="yes" required aria-describedby="ach-terms"> <span>${texts.accept_authorization}</span></label>`
}
