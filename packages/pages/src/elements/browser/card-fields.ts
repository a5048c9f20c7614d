import { brandOf, gapsOf, hasRightCheckDigit, hasRightLength, longest } from './card-brand.ts'
import type { Field } from './field.ts'
import { asciiDigits, type Format, withAsciiDigits } from './typed-text.ts'

const number_format: Format = {
  content(text) {
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

/** The digits of a card number as it is written. */
export function numberOf(text: string): string {
  return number_format.content(text, false)
}

export const number_field: Field = {
  id: 'number',
  format: number_format,
  check(text) {
    const digits = numberOf(text)
    if (!hasRightLength(digits)) return { code: 'number_incomplete', final: false }
    // A Visa of 16 digits may yet become one of 19.
    const final = digits.length === longest(digits)
    return hasRightCheckDigit(digits) ? null : { code: 'number_invalid', final }
  },
  tidy: (text) => number_format.write(numberOf(text), false),
}

/** A text as wide as the longest number that begins like this one, without the digits themselves. */
export function roomOf(digits: string): string {
  return number_format.write(digits.padEnd(longest(digits), '0'), false).replace(/\d/g, '0')
}

const expiry_format: Format = {
  /** The month, a slash if there is a year, and two or four digits of the year. A third digit stays, as a mistake. */
  content(text, meant) {
    const plain = withAsciiDigits(text)
    const [, first = '', rest = ''] = /^[^\d/]*(\d*)(.*)$/s.exec(meant ? asMeant(plain) : plain) ?? []
    const month = meant ? withNought(first, rest !== '') : first
    const year = (month.slice(2) + asciiDigits(rest)).slice(0, 4)
    return year === '' ? month.slice(0, 2) : `${month.slice(0, 2)}/${year}`
  },
  write(content, growing) {
    return content.replace('/', ' / ') + (growing && /^\d\d$/.test(content) ? ' / ' : '')
  },
}

/**
 * Puts the month first if a browser fills in 2029-12. Whoever types 25/ sees 2 written as 02, and 5 as the beginning of a
 * year; but the slash says that the month is 25, which does not exist: it must not become February.
 */
function asMeant(text: string): string {
  return text.replace(/^\s*(20\d\d)\D*(\d{1,2})\s*$/, '$2/$1').replace(/^0([2-9]) \/ (\d)(?=\D)/, '$1$2')
}

/** Pads a month of one digit: 2 to 9, with which no longer month begins, or any if a slash follows (`apart`). */
function withNought(digits: string, apart: boolean): string {
  return (apart ? /^\d$/ : /^[2-9]$/).test(digits) ? `0${digits}` : digits
}

/** No card is valid for longer: a later year is a mistake. */
const longest_life_months = 50 * 12

export const expiry_field: Field = {
  id: 'expiry',
  format: expiry_format,
  placeholder: 'expiry_hint',
  check(text, { now }) {
    const expiry = readExpiry(text)
    const { month, year } = partsOf(text, false)
    if (month.length === 2 && !isMonth(month)) return { code: 'expiry_invalid', final: true }
    if (expiry === null) return { code: 'expiry_incomplete', final: false }
    const months_left = (expiry.exp_year - now.getFullYear()) * 12 + expiry.exp_month - (now.getMonth() + 1)
    // 20 may be the beginning of 2034.
    if (months_left < 0) return { code: 'expiry_past', final: year !== '20' }
    return months_left > longest_life_months ? { code: 'expiry_invalid', final: true } : null
  },
  tidy(text) {
    const { month, year } = partsOf(text, true)
    return expiry_format.write(year === '' ? month : `${month}/${year.replace(/^20(?=\d\d)/, '')}`, false)
  },
}

/** A card can be used until the end of its month. Null while the date is incomplete. */
export function readExpiry(text: string): { exp_month: number; exp_year: number } | null {
  const { month, year } = partsOf(text, false)
  if (!isMonth(month) || (year.length !== 2 && year.length !== 4)) return null
  return { exp_month: Number(month), exp_year: year.length === 2 ? 2000 + Number(year) : Number(year) }
}

function partsOf(text: string, meant: boolean): { month: string; year: string } {
  const [month = '', year = ''] = expiry_format.content(text, meant).split('/')
  return { month, year }
}

function isMonth(digits: string): boolean {
  return Number(digits) >= 1 && Number(digits) <= 12
}

export const cvc_field: Field = {
  id: 'cvc',
  format: { content: (text) => asciiDigits(text).slice(0, 4), write: (digits) => digits },
  check(text, around) {
    const brand = brandOf(numberOf(around.text('number')))
    const { length } = asciiDigits(text)
    const wanted = brand?.cvc_length
    if (wanted === undefined ? length >= 3 : length === wanted) return null
    // The code of a card with 4 digits was typed, and then the number of a card with 3.
    if (wanted !== undefined && length > wanted) return { code: 'cvc_invalid', final: true }
    return { code: 'cvc_incomplete', final: false }
  },
}
