import { type Html, html, trusted } from './html.ts'
import { icons } from './icons.ts'
import type { Language } from './language.ts'
import { style } from './style.ts'

/** What a page shows: either how to pay, or the state that it is in. */
export type Sheet = SheetToPay | SheetInState

interface AnySheet {
  title: string
  /** Null where the page must not say whose it is. */
  merchant: string | null
  sandbox: boolean
  heading: string | Html
  /** What is paid: amounts, dates, what for. */
  subject: Html | null
  /** Loaded after the page is shown. */
  script?: Html | null
  /** Where the browser goes by itself, at once: after a pause, not everyone would have finished reading. */
  go_to?: string | null
}

interface SheetToPay extends AnySheet {
  ways_to_pay: Html
}

interface SheetInState extends AnySheet {
  state: { tone: 'good' | 'bad' | 'plain'; icon: keyof typeof icons; text: string }
  action: Html | null
}

/** One whole document. */
export function layout(sheet: Sheet, { tag, texts }: Language): string {
  const { title, sandbox, script = null, go_to = null } = sheet
  const refresh = go_to === null ? null : html`<meta http-equiv="refresh" content="0; url=${go_to}">`
  const page = html`<!doctype html>
<html lang="${tag}" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<title>${title.replace(unseen, '')}</title>
<link rel="icon" href="data:,">
${refresh}
<style>${trusted(style)}</style>
${script}
</head>
<body>
${sandbox && html`<header class="sandbox">${texts.sandbox}</header>`}
${'ways_to_pay' in sheet ? toPay(sheet) : inState(sheet)}
</body>
</html>
`
  return page.markup
}

/** Control characters, and those that change the direction of text: a title has no `<bdi>`, and no name needs them. */
const unseen = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/** Also announced by screen readers. A bad notice interrupts, and takes the keyboard focus. */
export function notice(tone: 'bad' | 'plain', text: string): Html {
  return tone === 'bad'
    ? html`<div class="notice bad" role="alert" tabindex="-1" autofocus>${icons.bad}<p>${text}</p></div>`
    : html`<div class="notice" role="status"><p>${text}</p></div>`
}

/** Pairs of a label and a value; those without a value are left out. */
export function facts(pairs: readonly (readonly [label: string, value: string | Html | null])[]): Html {
  const shown = pairs.filter((pair): pair is readonly [string, string | Html] => !!pair[1])
  return html`<dl>${shown.map(([label, value]) => html`<dt>${label}</dt><dd><bdi>${value}</bdi></dd>`)}</dl>`
}

/** The heading of a page that asks for an amount. */
export function payHeading(amount: string, { texts }: Language): Html {
  return html`<span class="verb">${texts.pay}</span> <span class="amount">${amount}</span>`
}

function toPay({ merchant, heading, subject, ways_to_pay }: SheetToPay): Html {
  return html`<main class="payable">
<div>
${merchantLine(merchant)}
<h1>${heading}</h1>
${subject}
</div>
<div>
${ways_to_pay}
</div>
</main>`
}

function inState({ merchant, heading, state, subject, action }: SheetInState): Html {
  return html`<main>
<div class="state">
${merchantLine(merchant)}
<div class="badge ${state.tone}">${icons[state.icon]}</div>
<h1>${heading}</h1>
<p class="said" role="${state.tone === 'bad' ? 'alert' : 'status'}">${state.text}</p>
${subject}
${action}
</div>
</main>`
}

function merchantLine(merchant: string | null): Html | null {
  if (merchant === null) return null
  const name = merchant.replace(unseen, '')
  const [initial] = new Intl.Segmenter().segment(name)
  return html`<p class="merchant"><span class="mark" aria-hidden="true">${initial?.segment.toUpperCase() ?? ''}</span> <bdi>${name}</bdi></p>`
}
