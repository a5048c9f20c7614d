import type { Locale } from './elements/protocol.ts'
import { headerOf, type PageRequest } from './message.ts'
import { en, type Texts } from './texts/en.ts'
import { es } from './texts/es.ts'
import { fr } from './texts/fr.ts'

/** How a page speaks to this payer: its words, amounts and dates. */
export interface Language {
  /** What `lang` says, such as `fr-CA`. */
  tag: string
  /** The language alone, also that of the Elements on the page. */
  name: Locale
  texts: Texts
}

/** The best of our languages for the payer's `Accept-Language`; English if none matches. */
export function languageOf(request: PageRequest): Language {
  const wanted = (headerOf(request, 'accept-language') ?? '').slice(0, 500).split(',').map(readRange)
  const [best] = wanted.filter((range) => range !== null).sort((a, b) => b.weight - a.weight)
  return best ? { tag: best.tag, name: best.name, texts: texts[best.name] } : english
}

const texts = { en, fr, es }

const english: Language = { tag: 'en', name: 'en', texts: en }

/** `fr-CA;q=0.8`. A weight of 0 says "not this one". */
function readRange(range: string) {
  const [, name, region, q] =
    /^ *(en|fr|es)(?:-([a-z]{2}|\d{3}))? *(?:; *q=([01](?:\.\d{0,3})?) *)?$/i.exec(range) ?? []
  const weight = Number(q ?? 1)
  if (name === undefined || weight === 0) return null
  const known = name.toLowerCase() as Language['name']
  return { name: known, tag: region === undefined ? known : `${known}-${region.toUpperCase()}`, weight }
}

/** `$1,234.50 USD`: the narrow symbol beside the code, because two currencies share it. */
export function money(amount: number, currency: string, { tag }: Language): string {
  const format = new Intl.NumberFormat(localeOf(tag), {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
  })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  return `${format.format(amount / 10 ** digits).replace('-', minus)} ${currency}`
}

/** As wide as a digit, and read out as a minus: a hyphen is neither. */
const minus = '\u2212'

/** `January 31, 2026`, from `2026-01-31`. */
export function day(date: string, { tag }: Language): string {
  const format = new Intl.DateTimeFormat(localeOf(tag), { dateStyle: 'long', timeZone: 'UTC' })
  return format.format(new Date(`${date}T00:00:00.000Z`))
}

/** A tag without a region gets that of most payers of the language on these pages, so that dollars are written as there. */
function localeOf(tag: string): string {
  return { en: 'en-US', fr: 'fr-CA', es: 'es-US' }[tag] ?? tag
}
