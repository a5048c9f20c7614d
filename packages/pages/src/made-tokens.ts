import { option, type PaymentMethodType, refuseWrongOptions } from '@quittance/core'
import { elementsScript } from './elements/elements-script.ts'
import { html, trusted } from './html.ts'
import { icons } from './icons.ts'
import type { TokenFields } from './token-fields.ts'

/** The frames that Elements show, at the origin of a tokenizer: `createTokenizer`, or a processor's own fields. */
export interface ElementFrames {
  /** The address of the page with a card's fields. If left out, the pages do not take cards. */
  card?: string | undefined
  /** The same for the number of a US bank account. */
  bankAccount?: string | undefined
}

/**
 * Elements collect the details in frames of the tokenizer's origin and give the form a token for them. `script_url` is
 * where the pages serve the module; the policy names the full URL, so that nothing else of that origin may run.
 */
export function madeTokens(addresses: ElementFrames, script_url: URL): TokenFields {
  refuseWrongOptions('`elements`', addresses, { card: option.text, bankAccount: option.text })
  const { card, bankAccount } = addresses
  const frames = new Map<PaymentMethodType, URL>()
  if (card !== undefined) frames.set('card', frameOf(card))
  if (bankAccount !== undefined) frames.set('us_bank_account', frameOf(bankAccount))
  if (frames.size === 0) throw new Error('elements holds no frame.')
  const origins = new Set([...frames.values()].map(({ origin }) => origin))
  return {
    tokens: [...frames.keys()],
    field(type, { name, texts }) {
      const element = elements[type]
      const frame = frames.get(type)?.href ?? ''
      return html`${trusted(`<${element}`)} name="token" frame="${frame}" locale="${name}"><p class="missing">${texts.fields_missing}</p>${trusted(`</${element}>`)}
<noscript><p class="notice">${texts.script_needed}</p></noscript>`
    },
    footnote: (texts) => html`<p class="apart">${icons.lock}<span>${texts.numbers_kept_apart}</span></p>`,
    script: (answers_form) =>
      html`<script type="module" src="${script_url.pathname}" integrity="${elementsScript.integrity}" crossorigin${answers_form ? html` data-answers-form` : null}></script>`,
    loads: { script: script_url.href, frames: [...origins] },
  }
}

const elements = { card: 'quittance-card', us_bank_account: 'quittance-bank-account' } as const

function frameOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
    throw new Error(`elements holds "${address}", which is no address of a page.`)
  return url
}
