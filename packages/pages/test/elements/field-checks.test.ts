import { describe, expect, it } from 'vitest'
import { account_number_field, routing_number_field } from '../../src/elements/browser/bank-account-fields.ts'
import { cvc_field, expiry_field, number_field, readExpiry } from '../../src/elements/browser/card-fields.ts'

/** On the last day of a month: a card that ends this month still works. */
const now = new Date(2026, 10, 30, 23, 59)
const around = (number = '') => ({ now, text: (id: string) => (id === 'number' ? number : '') })

describe('a card number', () => {
  it.each([
    '4242 4242 4242 4242',
    '4222 2222 2222 2',
    '5555 5555 5555 4444',
    '2223 0031 2200 3222',
    '3782 822463 10005',
    '6011 1111 1111 1117',
    '3056 930902 5904',
    '3566 0020 2036 0505',
    '6200 0000 0000 0005',
    '6799 9901 0000 0000 019',
  ])('is right: %s', (text) => {
    expect(number_field.check(text, around())).toBeNull()
  })

  it.each([
    ['', 'number_incomplete', false],
    ['4242 4242 4242 424', 'number_incomplete', false],
    ['4242 4242 4242 4241', 'number_invalid', false],
    ['4242 4242 4242 4242 420', 'number_invalid', true],
    ['5555 5555 5555 4445', 'number_invalid', true],
    ['3782 822463 10006', 'number_invalid', true],
  ])('is not right: %j is %s', (text, code, final) => {
    expect(number_field.check(text, around())).toEqual({ code, final })
  })
})

describe('an expiry date', () => {
  it.each(['11 / 26', '12 / 26', '01 / 27', '11 / 2026', '12 / 2034', '5 / 29', '11 / 76'])(
    'is right: %s',
    (text) => {
      expect(expiry_field.check(text, around())).toBeNull()
    },
  )

  it.each([
    ['', 'expiry_incomplete', false],
    ['1', 'expiry_incomplete', false],
    ['12 / 3', 'expiry_incomplete', false],
    ['12 / 203', 'expiry_incomplete', false],
    ['0 / 29', 'expiry_incomplete', false],
    ['13 / 30', 'expiry_invalid', true],
    ['29 / 12', 'expiry_invalid', true],
    ['00 / 29', 'expiry_invalid', true],
    ['02 / 91', 'expiry_invalid', true],
    ['10 / 26', 'expiry_past', true],
    ['12 / 19', 'expiry_past', true],
    ['12 / 2025', 'expiry_past', true],
    // The beginning of 2034, perhaps.
    ['12 / 20', 'expiry_past', false],
  ])('is not right: %j is %s', (text, code, final) => {
    expect(expiry_field.check(text, around())).toEqual({ code, final })
  })

  it('has its century', () => {
    expect(readExpiry('03 / 31')).toEqual({ exp_month: 3, exp_year: 2031 })
    expect(readExpiry('03 / 2031')).toEqual({ exp_month: 3, exp_year: 2031 })
    expect(readExpiry('03 / ')).toBeNull()
  })
})

describe('a security code', () => {
  it.each([
    ['123', '4242', null],
    ['123', '', null],
    ['1234', '3782', null],
    ['12', '4242', { code: 'cvc_incomplete', final: false }],
    ['123', '3782', { code: 'cvc_incomplete', final: false }],
    ['1234', '4242', { code: 'cvc_invalid', final: true }],
  ])('%s of a card that begins with %j', (text, number, problem) => {
    expect(cvc_field.check(text, around(number))).toEqual(problem)
  })
})

describe('the numbers of a bank account', () => {
  it.each([
    [routing_number_field, '110000000', null],
    [routing_number_field, '021000021', null],
    [routing_number_field, '11000000', { code: 'routing_number_incomplete', final: false }],
    [routing_number_field, '110000001', { code: 'routing_number_invalid', final: true }],
    [routing_number_field, '000000000', { code: 'routing_number_invalid', final: true }],
    [account_number_field, '000123456789', null],
    [account_number_field, '123', { code: 'account_number_incomplete', final: false }],
  ])('are judged by what a bank can have given', (field, text, problem) => {
    expect(field.check(text, around())).toEqual(problem)
  })
})
