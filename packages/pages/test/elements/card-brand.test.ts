import { describe, expect, it } from 'vitest'
import { brandOf, card_brands } from '../../src/elements/browser/card-brand.ts'

describe('the network of a card', () => {
  it.each([
    ['4', 'visa'],
    ['4242424242424242', 'visa'],
    ['51', 'mastercard'],
    ['55', 'mastercard'],
    ['2221', 'mastercard'],
    ['2720', 'mastercard'],
    ['34', 'amex'],
    ['37', 'amex'],
    ['6011', 'discover'],
    ['644', 'discover'],
    ['649', 'discover'],
    ['65', 'discover'],
    ['300', 'diners'],
    ['305', 'diners'],
    ['3095', 'diners'],
    ['36', 'diners'],
    ['38', 'diners'],
    ['3528', 'jcb'],
    ['3589', 'jcb'],
    ['62', 'unionpay'],
  ])('of one that begins with %s is %s', (digits, id) => {
    expect(brandOf(digits)?.id).toBe(id)
  })

  it.each([
    '',
    '2',
    '222',
    '2220',
    '2721',
    '3',
    '30',
    '306',
    '309',
    '3096',
    '352',
    '3527',
    '3590',
    '5',
    '50',
    '56',
    '6',
    '60',
    '601',
    '64',
    '643',
    '1',
    '9',
  ])('is not known of one that begins with %j', (digits) => {
    expect(brandOf(digits)).toBeNull()
  })

  it('is never two networks', () => {
    for (let start = 0; start < 10_000; start += 1) {
      const digits = String(start).padStart(4, '0')
      const fitting = card_brands.filter(({ prefixes }) =>
        prefixes.some(([from, to]) => {
          const length = String(from).length
          return from <= Number(digits.slice(0, length)) && Number(digits.slice(0, length)) <= to
        }),
      )
      expect(fitting.length).toBeLessThanOrEqual(1)
    }
  })
})
