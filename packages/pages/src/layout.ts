import { type Html, html, trusted } from './html.ts'
import { style } from './style.ts'

export interface Sheet {
  title: string
  /** Null where the page must not say whose it is. */
  merchant: string | null
  sandbox: boolean
  heading: string
  content: readonly (Html | null)[]
  /** Where the browser goes on to by itself, at once: a pause could not be read to its end by everyone. */
  go_to?: string | null
}

/** One whole document. */
export function layout({ title, merchant, sandbox, heading, content, go_to = null }: Sheet): string {
  const refresh = go_to === null ? null : html`<meta http-equiv="refresh" content="${`0; url=${go_to}`}">`
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${refresh}
<style>${trusted(style)}</style>
</head>
<body>
<main>
${sandbox && html`<p class="sandbox">Sandbox: no real money moves on this page.</p>`}
${merchant !== null && html`<p class="merchant" dir="auto">${merchant}</p>`}
<h1>${heading}</h1>
${content.filter((part) => part !== null)}
</main>
</body>
</html>
`
  return page.markup
}

/** Said to everyone, also by a screen reader: what went wrong interrupts, the rest waits its turn. */
export function notice(kind: 'good' | 'bad' | 'plain', text: string): Html {
  return html`<div class="${`notice ${kind}`}" role="${kind === 'bad' ? 'alert' : 'status'}"><p>${text}</p></div>`
}

/** Pairs of a label and a value; those without a value are left out. */
export function facts(pairs: readonly (readonly [label: string, value: string | null])[]): Html {
  const shown = pairs.filter((pair): pair is readonly [string, string] => !!pair[1])
  return html`<dl>${shown.map(([label, value]) => html`<dt>${label}</dt><dd dir="auto">${value}</dd>`)}</dl>`
}
