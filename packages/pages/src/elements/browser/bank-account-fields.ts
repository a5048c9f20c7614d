import type { Field } from './field.ts'
import { asciiDigits, type Format } from './typed-text.ts'

const routing_number_length = 9
/** NACHA's file format has room for 17 characters. */
const longest_account_number = 17
const shortest_account_number = 4

export const routing_number_field: Field = {
  id: 'routing_number',
  format: plain(routing_number_length),
  check(text) {
    const digits = asciiDigits(text)
    if (digits.length < routing_number_length) return { code: 'routing_number_incomplete', final: false }
    return hasRightChecksum(digits) ? null : { code: 'routing_number_invalid', final: true }
  },
}

export const account_number_field: Field = {
  id: 'account_number',
  format: plain(longest_account_number),
  check(text) {
    const enough = asciiDigits(text).length >= shortest_account_number
    return enough ? null : { code: 'account_number_incomplete', final: false }
  },
}

/** The American Bankers Association's checksum: the sum of the digits, weighted 3, 7, 1, is a multiple of ten. */
function hasRightChecksum(digits: string): boolean {
  const weights = [3, 7, 1]
  const sum = [...digits].reduce((sum, digit, place) => sum + Number(digit) * (weights[place % 3] ?? 0), 0)
  return sum % 10 === 0 && sum > 0
}

function plain(longest: number): Format {
  return { content: (text) => asciiDigits(text).slice(0, longest), write: (digits) => digits }
}
