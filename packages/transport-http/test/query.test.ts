import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeSegment, parseTarget } from '../src/query.ts'

const queryOf = (target: string) => ({ ...parseTarget(target).query._unsafeUnwrap() })
const refusalOf = (query: string) => parseTarget(`/v1/payments?${query}`).query._unsafeUnwrapErr()

describe('parseTarget', () => {
  it('splits path and query, and leaves the path encoded', () => {
    expect(parseTarget('/v1/payments/a%2Fb?limit=2').path).toBe('/v1/payments/a%2Fb')
    expect(queryOf('/v1/payments?limit=2&type=payment.succeeded')).toEqual({
      limit: '2',
      type: 'payment.succeeded',
    })
  })

  it.each(['/v1/payments', '/v1/payments?', '/v1/payments?&&'])('finds no parameter in %s', (target) => {
    expect(queryOf(target)).toEqual({})
    expect(parseTarget(target).path).toBe('/v1/payments')
  })

  it.each([
    ['https://example.com:8443/v1/events?limit=1', '/v1/events', { limit: '1' }],
    ['HTTP://example.com', '/', {}],
    ['http://example.com?limit=1', '/', { limit: '1' }],
    ['/v1/events?limit=1#top', '/v1/events', { limit: '1' }],
    ['*', '*', {}],
    ['//example.com/v1', '//example.com/v1', {}],
  ])('reads the target %s', (target, path, query) => {
    expect(parseTarget(target).path).toBe(path)
    expect(queryOf(target)).toEqual(query)
  })

  it('decodes escapes and plus signs in names and values', () => {
    expect(queryOf('/?re%66erence=a+b%2Bc%26d%3De%E2%82%AC')).toEqual({ reference: 'a b+c&d=e€' })
    expect(queryOf('/?a=b=c&empty=&bare')).toEqual({ a: 'b=c', empty: '', bare: '' })
  })

  it.each(['limit=1&limit=1', 'limit=1&type=x&limit=2', 'limit&limit', 'limit=1&%6cimit=2'])(
    'refuses a repeated parameter and names it: %s',
    (query) => {
      expect(refusalOf(query).param).toBe('limit')
    },
  )

  it.each(['%', '%4', '%zz', 'a%00b', '%C0%AF', '%E2%82', '%ED%A0%80', '%FF', 'é', '\ud800', 'a\0b'])(
    'refuses the value %j and names its parameter',
    (value) => {
      expect(refusalOf(`limit=1&type=${value}`).param).toBe('type')
    },
  )

  it.each(['%zz=1', '%00=1', '%FF', '=1'])(
    'refuses a name that cannot be read, without naming it: %s',
    (query) => {
      expect(refusalOf(query)).toEqual({ message: expect.any(String) })
    },
  )

  it('holds a parameter called __proto__ like any other', () => {
    const query = parseTarget('/?__proto__=x&constructor=y').query._unsafeUnwrap()
    expect(Object.keys(query)).toEqual(['__proto__', 'constructor'])
    expect(refusalOf('__proto__=x&__proto__=y').param).toBe('__proto__')
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  })

  it('reads back whatever URLSearchParams writes', () => {
    const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.includes('\0'))
    fc.assert(
      fc.property(fc.dictionary(text.filter(Boolean), text), (parameters) => {
        const target = `/?${new URLSearchParams(Object.entries(parameters))}`
        expect(queryOf(target)).toEqual({ ...parameters })
      }),
    )
  })
})

describe('decodeSegment', () => {
  it.each([
    ['pay_test_1', 'pay_test_1'],
    ['a%2Fb', 'a/b'],
    ['a+b', 'a+b'],
    ['%E2%82%AC', '€'],
    ['', ''],
  ])('decodes %j', (segment, decoded) => {
    expect(decodeSegment(segment)).toBe(decoded)
  })

  it.each(['%', '%zz', '%00', '%C0%AF', 'é', 'a b', '\ud800'])('refuses %j', (segment) => {
    expect(decodeSegment(segment)).toBeNull()
  })
})
