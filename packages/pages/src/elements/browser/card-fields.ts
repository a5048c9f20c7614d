import { brandOf, gapsOf, hasRightCheckDigit, hasRightLength, longest } from './card-brand.ts'
import type { Field } from './field.ts'
import { asciiDigits, type Format } from './typed-text.ts'

const number_format: Format = {
  digits(text) {
    const digits = asciiDigits(text)
    return digits.slice(0, longest(digits))
  },
  write(digits, growing) {
    const gaps = gapsOf(digits)
    const grouped = [...digits].map((digit, place) => (gaps.includes(place) ? ` ${digit}` : digit)).join('')
    return growing && gaps.includes(digits.length) && digits.length < longest(digits)
      ? `${grouped} `
      : grouped
  },
}

export const number_field: Field = {
  id: 'number',
  format: number_format,
  check(text) {
    const digits = number_format.digits(text)
    if (!hasRightLength(digits)) return { code: 'number_incomplete', final: false }
    // A Visa of 16 digits may yet become one of 19.
    const final = digits.length === longest(digits)
    return hasRightCheckDigit(digits) ? null : { code: 'number_invalid', final }
  },
  tidy: (text) => number_format.write(number_format.digits(text), false),
}

/** What takes as much room as the longest number that begins like this one, without repeating it. */
export function roomOf(digits: string): string {
  return number_format.write(digits.padEnd(longest(digits), '0'), false).replace(/\d/g, '0')
}

const expiry_format: Format = {
  /** Two digits of the month, then two of the year, or four where they begin with 20. */
  digits(text) {
    const typed = monthFirst(text.normalize('NFKC'))
    const lone = /^\D*\d\D/.test(typed)
    const digits = asciiDigits(typed).replace(/^0+(?=0)/, '')
    const month_in_one = /^([2-9]|1[3-9])/.test(digits) || (lone && /^[1-9]/.test(digits))
    const all = month_in_one ? `0${digits}` : digits
    return all.slice(0, all.startsWith('20', 2) ? 6 : 4)
  },
  write(digits, growing) {
    if (digits.length < 2 || (digits.length === 2 && !growing)) return digits
    return `${digits.slice(0, 2)} / ${digits.slice(2)}`
  },
}

/** As a browser fills a month in: 2029-12. */
function monthFirst(text: string): string {
  return text.replace(/^\s*(20\d\d)\D+(\d{1,2})\s*$/, '$2/$1')
}

export const expiry_field: Field = {
  id: 'expiry',
  format: expiry_format,
  placeholder: 'expiry_hint',
  check(text, { now }) {
    const digits = expiry_format.digits(text)
    const expiry = readExpiry(text)
    if (expiry === null) return { code: 'expiry_incomplete', final: false }
    const months_left = (expiry.exp_year - now.getFullYear()) * 12 + expiry.exp_month - (now.getMonth() + 1)
    // 20 may be the beginning of 2034.
    if (months_left < 0) return { code: 'expiry_past', final: digits !== `${digits.slice(0, 2)}20` }
    return null
  },
  tidy(text) {
    const digits = expiry_format.digits(text)
    return expiry_format.write(digits.length === 6 ? digits.slice(0, 2) + digits.slice(4) : digits, false)
  },
}

/** A card can be used to the end of its month. Null while there is no whole date. */
export function readExpiry(text: string): { exp_month: number; exp_year: number } | null {
  const digits = expiry_format.digits(text)
  const exp_month = Number(digits.slice(0, 2))
  const year = digits.slice(2)
  if (exp_month < 1 || exp_month > 12 || (year.length !== 2 && year.length !== 4)) return null
  return { exp_month, exp_year: year.length === 2 ? 2000 + Number(year) : Number(year) }
}

export const cvc_field: Field = {
  id: 'cvc',
  format: { digits: (text) => asciiDigits(text).slice(0, 4), write: (digits) => digits },
  check(text, around) {
    const brand = brandOf(number_format.digits(around.text('number')))
    const { length } = asciiDigits(text)
    const wanted = brand?.cvc_length
    if (wanted === undefined ? length >= 3 : length === wanted) return null
    return { code: 'cvc_incomplete', final: wanted !== undefined && length > wanted }
  },
}
