import { depth_limit, err, ok, type Result } from '@quittance/core'

export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue }

// `ignoreBOM` leaves a byte order mark in the text, so that the scanner refuses it.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const poisonedKeys = new Set(['__proto__', 'constructor'])

/**
 * Parses a request body. Stricter than `JSON.parse`: refuses what two parsers may read differently, namely duplicate
 * keys, inexact numbers, NUL, lone surrogates and keys that touch prototypes.
 *
 * The message gives a position and never repeats the body, which may hold a card number.
 */
export function parseJson(bytes: Uint8Array): Result<JsonValue, string> {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    return err('The body is not valid UTF-8.')
  }
  try {
    return ok(new Scanner(text).document())
  } catch (refusal) {
    if (refusal instanceof Refusal) return err(refusal.message)
    throw refusal
  }
}

/** Thrown only inside the scanner, to keep each rule of the grammar to one line. */
class Refusal extends Error {}

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): JsonValue {
    const value = this.#value(0)
    this.#space()
    if (this.#at < this.#text.length) this.#unexpected()
    return value
  }

  #value(depth: number): JsonValue {
    this.#space()
    switch (this.#text[this.#at]) {
      case '{':
        return this.#object(depth + 1)
      case '[':
        return this.#array(depth + 1)
      case '"':
        return this.#string()
      case 't':
        return this.#word('true', true)
      case 'f':
        return this.#word('false', false)
      case 'n':
        return this.#word('null', null)
      default:
        return this.#number()
    }
  }

  #object(depth: number): JsonValue {
    this.#enter(depth)
    const object: { [key: string]: JsonValue } = {}
    if (this.#take('}')) return object
    do {
      this.#space()
      const start = this.#at
      const key = this.#string()
      if (poisonedKeys.has(key)) this.#refuse('has a key that is not allowed', start)
      if (Object.hasOwn(object, key)) this.#refuse('has a key twice in one object', start)
      if (!this.#take(':')) this.#unexpected()
      object[key] = this.#value(depth)
    } while (this.#take(','))
    if (!this.#take('}')) this.#unexpected()
    return object
  }

  #array(depth: number): JsonValue {
    this.#enter(depth)
    const array: JsonValue[] = []
    if (this.#take(']')) return array
    do array.push(this.#value(depth))
    while (this.#take(','))
    if (!this.#take(']')) this.#unexpected()
    return array
  }

  #enter(depth: number) {
    if (depth > depth_limit) this.#refuse(`is nested deeper than ${depth_limit} levels`)
    this.#at += 1
  }

  #string(): string {
    if (this.#text[this.#at] !== '"') this.#unexpected()
    const start = this.#at
    let escaped = false
    for (this.#at += 1; this.#text[this.#at] !== '"'; this.#at += 1) {
      // Past the end this is NaN, so a string without a closing quote is refused here too.
      if (!(this.#text.charCodeAt(this.#at) >= 0x20)) this.#unexpected()
      if (this.#text[this.#at] !== '\\') continue
      escaped = true
      this.#at += 1
    }
    this.#at += 1
    // Without escapes there is no NUL or lone surrogate: the bytes are valid UTF-8 without control characters.
    return escaped ? this.#unescape(start) : this.#text.slice(start + 1, this.#at - 1)
  }

  #unescape(start: number): string {
    let string: string
    try {
      string = JSON.parse(this.#text.slice(start, this.#at))
    } catch {
      return this.#refuse('has a string with an invalid escape', start)
    }
    if (string.includes('\0')) this.#refuse('has a string with a NUL character', start)
    if (!string.isWellFormed()) this.#refuse('has a string with half a surrogate pair', start)
    return string
  }

  #number(): number {
    numberToken.lastIndex = this.#at
    const token = numberToken.exec(this.#text)?.[0] ?? this.#unexpected()
    const number = Number(token)
    if (!isExact(token, number)) this.#refuse('has a number that cannot be kept exactly')
    this.#at += token.length
    return number === 0 ? 0 : number
  }

  #word<Value extends JsonValue>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#at)) this.#unexpected()
    this.#at += word.length
    return value
  }

  #take(character: string): boolean {
    this.#space()
    if (this.#text[this.#at] !== character) return false
    this.#at += 1
    return true
  }

  #space() {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return
      this.#at += 1
    }
  }

  #unexpected(): never {
    if (this.#at >= this.#text.length) throw new Refusal('The body is not valid JSON: it ends too early.')
    throw new Refusal(`The body is not valid JSON: unexpected character at position ${this.#at}.`)
  }

  #refuse(what: string, at = this.#at): never {
    throw new Refusal(`The body ${what}, at position ${at}.`)
  }
}

/**
 * Whether JavaScript would print the same decimal again: `1.5` yes, `1.00000000000000001` and `1e400` no. No number
 * beyond 2^53 is exact: there, neighbours are read as one.
 */
function isExact(token: string, number: number): boolean {
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER) return false
  const printed = String(number)
  return printed === token || decimal(printed) === decimal(token)
}

/** Significant digits and exponent, without sign: `1.50` and `15e-1` are both `15e-1`. */
function decimal(token: string): string {
  const [mantissa = '', exponent = '0'] = token.replace(/^-/, '').toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  let end = digits.length
  // A loop, because /0+$/ is quadratic on a long run of zeros in the middle.
  while (digits[end - 1] === '0') end -= 1
  if (end === 0) return '0'
  return `${digits.slice(0, end)}e${Number(exponent) - fraction.length + (digits.length - end)}`
}
