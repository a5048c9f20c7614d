import type { PaymentMethodType, TokenSource } from '@quittance/core'
import { type Html, html } from './html.ts'
import type { Language } from './language.ts'
import type { Loads } from './policy.ts'
import type { Texts } from './texts/en.ts'

/** How a form gets the token of a card or an account. */
export interface TokenFields {
  tokens: TokenSource
  field(type: PaymentMethodType, language: Language): Html
  /** Below the forms: where the numbers go. */
  footnote(texts: Texts): Html | null
  /** The script that the forms need. `answers_form`: their page is the response to a form, or shows its outcome. */
  script(answers_form: boolean): Html | null
  loads: Loads | null
}

/** For the sandbox only: its tokens are typed in, and nothing else is loaded. */
export const typed_tokens: TokenFields = {
  tokens: 'typed',
  field(type, { texts }) {
    const { label, sample } = typed_names[type]
    return html`<label for="${type}-token">${texts[label]}</label>
<input type="text" id="${type}-token" name="token" required maxlength="255" autocomplete="off" autocapitalize="none" spellcheck="false" enterkeyhint="go" aria-describedby="${type}-hint">
<p class="hint" id="${type}-hint">${texts.token_hint(sample)}</p>`
  },
  footnote: () => null,
  script: () => null,
  loads: null,
}

const typed_names = {
  card: { label: 'card_token', sample: 'tok_test_visa' },
  us_bank_account: { label: 'bank_account_token', sample: 'btok_test_success' },
} as const
