/** Markup that is safe to send: only `html` and `trusted` make it. */
export class Html {
  readonly markup: string
  constructor(markup: string) {
    this.markup = markup
  }
}

type Value = string | number | Html | null | false | readonly Html[]

/** Every value becomes text, in an element or in a quoted attribute; only `Html` is markup. `null` and `false` are nothing. */
export function html(parts: TemplateStringsArray, ...values: Value[]): Html {
  const rendered = values.map((value, index) => render(value) + (parts[index + 1] ?? ''))
  return new Html((parts[0] ?? '') + rendered.join(''))
}

/** Markup of our own, without any value from outside. */
export const trusted = (markup: string) => new Html(markup)

function render(value: Value): string {
  if (value === null || value === false) return ''
  if (value instanceof Html) return value.markup
  if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value))
  return value.map(({ markup }) => markup).join('')
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] ?? '')
}
