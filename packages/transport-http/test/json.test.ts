import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JsonValue, parseJson } from '../src/json.ts'

const parse = (text: string) => parseJson(Buffer.from(text))
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

const accepted: [text: string, value: JsonValue][] = [
  ['{}', {}],
  ['[]', []],
  ['null', null],
  ['true', true],
  ['false', false],
  ['""', ''],
  ['0', 0],
  ['-0', 0],
  ['-0.0', 0],
  ['0e999', 0],
  ['0.10', 0.1],
  ['1.5', 1.5],
  ['1.0', 1],
  ['1e2', 100],
  ['1E+2', 100],
  ['100e-2', 1],
  ['0.0000001', 1e-7],
  ['5e-324', 5e-324],
  ['-12.5e1', -125],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['-9007199254740991', -Number.MAX_SAFE_INTEGER],
  [' \t\r\n[ 1 , 2 ]\n', [1, 2]],
  ['{"a":{"b":[{"c":null}]}}', { a: { b: [{ c: null }] } }],
  ['{"a":1,"A":2}', { a: 1, A: 2 }],
  ['[{"a":1},{"a":1}]', [{ a: 1 }, { a: 1 }]],
  ['{"":0}', { '': 0 }],
  ['{"10":1,"9":2}', { 9: 2, 10: 1 }],
  ['{"toString":1,"hasOwnProperty":2}', { toString: 1, hasOwnProperty: 2 }],
  ['"constructor"', 'constructor'],
  [String.raw`"\"\\\/\b\f\n\r\t"`, '"\\/\b\f\n\r\t'],
  [String.raw`"\u00e9\u20AC"`, 'é€'],
  [String.raw`"\ud83d\ude00"`, '😀'],
  [String.raw`"\\u0000"`, '\\u0000'],
  ['"😀\u007f\u2028\uffff"', '😀\u007f\u2028\uffff'],
  [`${' '.repeat(1_000)}1`, 1],
  [nested(32), JSON.parse(nested(32))],
]

const refused: [what: string, text: string][] = [
  ['nothing', ''],
  ['blanks only', ' \n'],
  ['a byte order mark', '\ufeff{}'],
  ['a form feed as a blank', '\f{}'],
  ['a no-break space as a blank', '\u00a0{}'],
  ['a comment', '{}/**/'],
  ['a line comment', '// a\n{}'],
  ['two values', '{} {}'],
  ['a closing bracket too many', '[1]]'],
  ['a missing closing bracket', '[1'],
  ['a missing closing brace', '{"a":1'],
  ['an opening brace alone', '{'],
  ['mismatched brackets', '[1}'],
  ['a comma at the end of an array', '[1,]'],
  ['a comma at the end of an object', '{"a":1,}'],
  ['a comma first', '[,1]'],
  ['two commas', '[1,,2]'],
  ['no comma', '[1 2]'],
  ['no colon', '{"a" 1}'],
  ['two colons', '{"a"::1}'],
  ['a key without a value', '{"a":}'],
  ['a key alone', '{"a"}'],
  ['a bare key', '{a:1}'],
  ['a number for a key', '{1:1}'],
  ['single quotes', "{'a':1}"],
  ['a half word', 'tru'],
  ['a word in capitals', 'True'],
  ['a word and more', 'nulll'],
  ['undefined', 'undefined'],
  ['NaN', 'NaN'],
  ['Infinity', '-Infinity'],
  ['a leading zero', '01'],
  ['a leading zero after the sign', '-01'],
  ['a plus sign', '+1'],
  ['two signs', '--1'],
  ['a sign alone', '-'],
  ['a point first', '.5'],
  ['a point last', '1.'],
  ['an exponent without digits', '1e'],
  ['an exponent with a sign only', '1e+'],
  ['an exponent with a fraction', '1e1.5'],
  ['hexadecimal', '0x10'],
  ['a digit separator', '1_000'],
  ['a full-width digit', '１'],
  ['a string without its end', '"a'],
  ['a string that ends in an escape', '"a\\'],
  ['a string that ends in an escaped quote', '"a\\"'],
  ['a raw line feed in a string', '"a\nb"'],
  ['a raw tab in a string', '"a\tb"'],
  ['a raw NUL in a string', '"a\0b"'],
  ['a raw control character after an escape', '"\\\u0001"'],
  ['an unknown escape', String.raw`"\x41"`],
  ['an escaped quote of the wrong kind', String.raw`"\'"`],
  ['a short unicode escape', String.raw`"\u00e"`],
  ['a unicode escape that is not hexadecimal', String.raw`"\u00eg"`],
  ['an escaped NUL in a string', String.raw`"a\u0000"`],
  ['an escaped NUL in a key', String.raw`{"a\u0000":1}`],
  ['a lone high surrogate', String.raw`"\ud800"`],
  ['a lone low surrogate', String.raw`"\udc00"`],
  ['surrogates in the wrong order', String.raw`"\udc00\ud800"`],
  ['a lone surrogate in a key', String.raw`{"\ud800":1}`],
  ['a duplicate key', '{"a":1,"a":1}'],
  ['a duplicate key further down', '[{"a":{"b":1,"c":2,"b":3}}]'],
  ['a duplicate key in other letters', String.raw`{"a":1,"\u0061":2}`],
  ['the key __proto__', '{"__proto__":{"a":1}}'],
  ['the key __proto__, escaped', String.raw`{"\u005f_proto__":1}`],
  ['the key constructor', '{"a":{"constructor":1}}'],
  ['a number too large to be finite', '1e400'],
  ['a number that would become zero', '1e-400'],
  ['an integer one beyond the exact ones', '9007199254740992'],
  ['a negative integer beyond the exact ones', '-9007199254740992'],
  ['an integer beyond the exact ones in a list', '[1,9007199254740993]'],
  ['a power of ten beyond the exact integers', '1e20'],
  ['a fraction that would round to an integer', '1.00000000000000001'],
  ['more digits than a number keeps', '0.12345678901234567890'],
  ['33 levels of arrays', nested(33)],
  ['33 levels of objects', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`],
  ['100,000 opening brackets', '['.repeat(100_000)],
]

describe('parseJson', () => {
  it.each(accepted)('reads %j', (text, value) => {
    expect(parse(text)._unsafeUnwrap()).toStrictEqual(value)
  })

  it.each(refused)('refuses %s', (_, text) => {
    expect(parse(text).isErr()).toBe(true)
  })

  it.each([
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a continuation byte alone', [0x22, 0x80, 0x22]],
    ['a cut sequence', [0x22, 0xe2, 0x82, 0x22]],
    ['a surrogate written as UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a code point above U+10FFFF', [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ['the byte 0xFF', [0x22, 0xff, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('refuses invalid UTF-8: %s', (_, bytes) => {
    expect(parseJson(Uint8Array.from(bytes))._unsafeUnwrapErr()).toBe('The body is not valid UTF-8.')
  })

  it('never repeats the body in its message', () => {
    const secret = '4242424242424242'
    for (const text of [
      `{"${secret}":1,"${secret}":2}`,
      `["${secret}\\x"]`,
      `[${secret}${secret}]`,
      `x${secret}`,
    ]) {
      expect(parse(text)._unsafeUnwrapErr()).not.toContain('4242')
    }
  })

  it('tells where the first fault is', () => {
    expect(parse('{"a": nul}')._unsafeUnwrapErr()).toBe(
      'The body is not valid JSON: unexpected character at position 6.',
    )
  })

  it('agrees with JSON.parse on every document without the refused features', () => {
    const documents = fc.tuple(
      fc.jsonValue({ stringUnit: 'binary', maxDepth: 6 }),
      fc.constantFrom(0, 1, '\t'),
    )
    fc.assert(
      fc.property(documents, ([value, indent]) => {
        fc.pre(isPlain(value))
        const text = JSON.stringify(value, null, indent)
        expect(parse(text)._unsafeUnwrap()).toStrictEqual(JSON.parse(text))
      }),
      { numRuns: 1_000 },
    )
  })

  it('accepts nothing that JSON.parse refuses, and reads nothing differently', () => {
    const snippets = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '\\',
      '-',
      '.',
      'e',
      '0',
      '1',
      ' ',
      '\n',
      'null',
      '\\u',
      'd8',
    ]
    const edits = fc.record({ at: fc.nat(200), cut: fc.nat(2), insert: fc.constantFrom('', ...snippets) })
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.array(edits, { maxLength: 3 }), (original, changes) => {
        let text = original
        for (const { at, cut, insert } of changes) text = text.slice(0, at) + insert + text.slice(at + cut)
        const parsed = parse(text)
        if (parsed.isOk()) expect(normalZero(JSON.parse(text))).toStrictEqual(parsed.value)
      }),
      { numRuns: 3_000 },
    )
  })
})

/** Without anything that this parser refuses and JSON.parse does not. */
function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
  if (value === null || typeof value !== 'object') return true
  const keys = Object.keys(value)
  if (keys.some((key) => ['__proto__', 'constructor'].includes(key) || !isPlain(key))) return false
  return Object.values(value).every(isPlain)
}

const normalZero = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
