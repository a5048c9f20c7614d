import { catalogue } from '../../errors/catalogue.ts'
import { fail } from '../../errors/domain-error.ts'
import { parameterName } from '../../errors/parameter-name.ts'

const fields = {
  number: 'card_not_tokenized',
  cvc: 'card_not_tokenized',
  account_number: 'bank_account_not_tokenized',
  routing_number: 'bank_account_not_tokenized',
} as const
type Field = keyof typeof fields

/**
 * Finds card or account details in the clear anywhere in a body: a field named for them, or a whole string, number or field
 * name that is a card number. Refused before anything of the body is stored or logged.
 */
export function findPaymentDetails(
  value: unknown,
  path: readonly PropertyKey[] = [],
): ReturnType<typeof refuse> | null {
  if (typeof value === 'string') return isCardNumber(value) ? refuse('card_not_tokenized', path) : null
  if (typeof value === 'number')
    return isCardNumber(String(value)) ? refuse('card_not_tokenized', path) : null
  if (typeof value !== 'object' || value === null) return null
  for (const [name, inner] of Object.entries(value)) {
    const here = [...path, Array.isArray(value) ? Number(name) : name]
    const field = name.toLowerCase()
    if (!Array.isArray(value) && Object.hasOwn(fields, field))
      return refuse(fields[field as Field], here, name)
    // The error names the parent: the path itself would repeat the number.
    if (isCardNumber(name)) return refuse('card_not_tokenized', path)
    const found = findPaymentDetails(inner, here)
    if (found) return found
  }
  return null
}

/** The same for a body that does not parse: a field named for details, in JSON or a form, or a card number's digits. */
export function findPaymentDetailsInText(text: string): ReturnType<typeof refuse> | null {
  const [, in_json, in_form] = telling_name.exec(text) ?? []
  const name = in_json ?? in_form
  if (name !== undefined) return refuse(fields[name.toLowerCase() as Field], [], name)
  const runs = text.match(/\d(?:[ -]?\d){12,18}(?!\d)/g) ?? []
  return runs.some(isCardNumber) ? refuse('card_not_tokenized', []) : null
}

const names = Object.keys(fields).join('|')
const telling_name = new RegExp(`"(${names})"\\s*:|(?:^|&|\\[|%5B)(${names})(?:\\]|%5D)*=`, 'i')

/** `name`: the field's, if the name alone was taken for details. */
function refuse(code: (typeof fields)[Field], path: readonly PropertyKey[], name?: string) {
  const [, , message] = catalogue[code]
  return fail(code, {
    ...(path.length > 0 ? { param: parameterName(path) } : {}),
    ...(name === undefined ? {} : { message: `No field may be named \`${name}\`. ${message}` }),
  })
}

/**
 * First digits of the card networks (ISO/IEC 7812 ranges in use): Visa, Mastercard, Amex, Discover, Diners, JCB,
 * UnionPay, Maestro.
 */
const card_prefix =
  /^(4|5[0-8]|2(2[2-9]|[3-6]|7[01]|720)|3[47]|6(011|4[4-9]|5|2|[0379])|3(0[0-5]|095|6|[89])|35(2[89]|[3-8]))/

/** 13 to 19 digits, also full-width, ignoring spaces and dashes, with a network's prefix and a valid Luhn digit. */
function isCardNumber(text: string): boolean {
  if (text.length < 13 || text.length > 60) return false
  const digits = text.normalize('NFKC').replace(/[\s\p{Dash}]/gu, '')
  return /^\d{13,19}$/.test(digits) && card_prefix.test(digits) && passesLuhn(digits)
}

function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place])
    const doubled = place % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
