import { type Html, html, trusted } from '../html.ts'
import { digestOf } from './digest.ts'
import { frame_style } from './frame-style.ts'
import { bank_account_frame, card_frame } from './scripts.ts'

/** A document for a frame, and the policy it is served under: its own script and style, its own origin, its own parents. */
export interface FramePage {
  body: string
  content_security_policy: string
}

export function cardPage(parents: readonly string[]): FramePage {
  return framePage(parents, card_frame, [
    field('number', { name: 'cardnumber', autocomplete: 'cc-number', hint: 'brand' }),
    field('expiry', { name: 'exp-date', autocomplete: 'cc-exp', hint: 'expiry-hint', half: true }),
    field('cvc', { name: 'cvc', autocomplete: 'cc-csc', hint: 'cvc-hint', half: true }),
  ])
}

export function bankAccountPage(parents: readonly string[]): FramePage {
  return framePage(parents, bank_account_frame, [
    field('routing_number', { name: 'routing_number', autocomplete: 'off' }),
    field('account_number', { name: 'account_number', autocomplete: 'off' }),
  ])
}

function framePage(parents: readonly string[], script: string, fields: readonly Html[]): FramePage {
  const page = html`<!doctype html>
<html lang="en" data-parents="${parents.join(' ')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Quittance</title>
<style>${trusted(frame_style)}</style>
</head>
<body>
<form id="fields" novalidate hidden>
${fields}
<p class="error" id="refusal" role="alert"></p>
</form>
<script type="module">${trusted(script)}</script>
</body>
</html>
`
  return { body: page.markup, content_security_policy: policy(parents, script) }
}

interface FieldMarkup {
  /** The name by which browsers and password managers recognize the field. */
  name: string
  autocomplete: string
  /** Read out with the field; it changes. */
  hint?: keyof typeof hints
  half?: boolean
}

/** The script fills in its texts, in the payer's language, before anything is shown. */
function field(id: string, { name, autocomplete, hint, half = false }: FieldMarkup): Html {
  const described = [...(hint === undefined ? [] : [hint]), `${id}-error`].join(' ')
  return html`<div class="${half ? 'field half' : 'field'}">
<label for="${id}" data-text="${id}"></label>
<div class="box">
<input type="text" id="${id}" name="${name}" autocomplete="${autocomplete}" inputmode="numeric" enterkeyhint="done" autocapitalize="none" autocorrect="off" spellcheck="false" placeholder=" " required aria-describedby="${described}">
${hint === undefined ? null : hints[hint]}
</div>
<p class="error" id="${id}-error" aria-live="polite"></p>
</div>`
}

const hints = {
  brand: html`<div class="beside"><span class="room" id="room" aria-hidden="true"></span><span class="brand" id="brand"></span></div>`,
  'expiry-hint': html`<span class="unseen" id="expiry-hint" data-text="expiry_hint"></span>`,
  'cvc-hint': html`<span class="unseen" id="cvc-hint"></span>`,
}

function policy(parents: readonly string[], script: string): string {
  return [
    "default-src 'none'",
    `script-src '${digestOf(script)}'`,
    `style-src '${digestOf(frame_style)}'`,
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    `frame-ancestors ${parents.join(' ')}`,
  ].join('; ')
}
