import { canonicalJson } from '@quittance/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from '../src/json.ts'

const parse = (text: string) => parseJson(Buffer.from(text))

describe('canonicalJson', () => {
  it('does not depend on the order of keys, at any depth', () => {
    const a = parse('{"b":[{"y":1,"x":2}],"a":"é"}')._unsafeUnwrap()
    const b = parse('{ "a":"\\u00e9", "b":[{"x":2,"y":1.0}] }')._unsafeUnwrap()
    expect(canonicalJson(a)).toBe('{"a":"é","b":[{"x":2,"y":1}]}')
    expect(canonicalJson(b)).toBe(canonicalJson(a))
  })

  it('depends on the order of a list', () => {
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]))
  })

  it('is JSON of the same value', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(JSON.parse(canonicalJson(JSON.parse(text)))).toStrictEqual(JSON.parse(text))
      }),
    )
  })
})
