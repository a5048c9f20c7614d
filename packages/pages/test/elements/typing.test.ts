import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { account_number_field, routing_number_field } from '../../src/elements/browser/bank-account-fields.ts'
import { cvc_field, expiry_field, number_field } from '../../src/elements/browser/card-fields.ts'
import { Typist } from './typist.ts'

const typed = (field: typeof number_field, keys: string) => new Typist(field.format).press(keys).shown

describe('a card number', () => {
  it.each([
    ['4242', '4242 |'],
    ['42424', '4242 4|'],
    ['4242424242424242', '4242 4242 4242 4242 |'],
    ['5555555555554444', '5555 5555 5555 4444|'],
    ['55555555555544449', '5555 5555 5555 4444|'],
    ['378282246310005', '3782 822463 10005|'],
    ['30569309025904', '3056 930902 5904|'],
    ['6200000000000000003', '6200 0000 0000 0000 003|'],
  ])('typed as %s is grouped as on the card', (keys, shown) => {
    expect(typed(number_field, keys)).toBe(shown)
  })

  it.each([
    ['typing in the middle', '42424242[[[[9', '4242 49|24 2'],
    ['typing behind a gap', '42424242[[[[[9', '4242 9|424 2'],
    ['Backspace in the middle', '42424242[[[[[<', '424|4 242'],
    ['Backspace behind a gap takes the digit before it', '4242<', '424|'],
    ['Delete before a gap takes the digit behind it', '42424[[>', '4242|'],
    ['typing at the beginning', '4242424[[[[[[[[9', '9|424 2424'],
    ['typing up to a gap puts the caret behind it', '4242424[[[[[9', '4249 |2424'],
    ['a full field takes no more in its middle', '5555555555554444[[[[[9', '5555 5555 5555| 4444'],
  ])('keeps the caret where it was edited: %s', (_what, keys, shown) => {
    expect(typed(number_field, keys)).toBe(shown)
  })

  it.each([
    '4242-4242 4242 4242',
    ' 4242 4242 4242 4242\n',
    'Card: 4242.4242.4242.4242',
    '４２４２４２４２４２４２４２４２',
    '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢',
  ])('is taken as pasted: %j', (text) => {
    const field = new Typist(number_field.format).paste(text)
    expect(number_field.tidy?.(field.value)).toBe('4242 4242 4242 4242')
  })
})

describe('an expiry date', () => {
  it.each([
    ['1', '1|'],
    ['12', '12 / |'],
    ['1234', '12 / 34|'],
    ['2', '02 / |'],
    ['9', '09 / |'],
    ['13', '13 / |'],
    ['1/', '01 / |'],
    ['1/34', '01 / 34|'],
    ['1 34', '01 / 34|'],
    ['12/34', '12 / 34|'],
    ['0', '0|'],
    ['00', '00 / |'],
    ['012034', '01 / 2034|'],
    ['12345', '12 / 345|'],
    ['12<', '1|'],
    ['123<', '12|'],
    ['123<4', '12 / 4|'],
    ['1234<<<<', '|'],
    ['6>[[>', '|6'],
    ['0[5<', '|0'],
    ['05/29123', '05 / 2912|'],
  ])('typed as %s', (keys, shown) => {
    expect(typed(expiry_field, keys)).toBe(shown)
  })

  it.each([
    ['13/30', '13 / 30', 'expiry_invalid'],
    ['1330', '13 / 30', 'expiry_invalid'],
    ['15/27', '15 / 27', 'expiry_invalid'],
    ['00/30', '00 / 30', 'expiry_invalid'],
    ['0/30', '00 / 30', 'expiry_invalid'],
    ['25/03', '25 / 03', 'expiry_invalid'],
    ['33-1', '33 / 1', 'expiry_invalid'],
    ['3301', '03 / 301', 'expiry_incomplete'],
    ['12/203', '12 / 203', 'expiry_incomplete'],
    ['05/2912', '05 / 2912', 'expiry_invalid'],
  ])('that there is not becomes no other one: %s', (keys, left, code) => {
    const { value } = new Typist(expiry_field.format).press(keys)
    const text = expiry_field.tidy?.(value) ?? ''
    expect(text).toBe(left)
    expect(expiry_field.check(text, { now: new Date(2026, 10), text: () => '' })?.code).toBe(code)
  })

  it.each([
    ['another month over the old one', '529[[[[[<<12', '12 / |29'],
    ['November', '529[[[[[<<11', '11 / |29'],
    ['June', '529[[[[[<<6', '6| / 29'],
    ['a month without its second digit', '1129[[[[[<', '1| / 29'],
    ['and another in its place', '1129[[[[[<2', '12 / |29'],
    ['a month from the front', '1229[[[[[[[>>05', '05 / |29'],
    ['a nought from the front', '629[[[[[[[>', '|6 / 29'],
    ['the year', '1229<<30', '12 / 30|'],
    ['everything from the front', '1229[[[[[[[>>>>>>', '|'],
  ])('is corrected where it is wrong: %s', (_what, keys, shown) => {
    expect(typed(expiry_field, keys)).toBe(shown)
  })

  it.each([
    ['6 / 29', '06 / 29'],
    ['1 / 29', '01 / 29'],
    ['1', '1'],
    ['06 / 2029', '06 / 29'],
  ])('is tidied once it is left: %s', (text, tidied) => {
    expect(expiry_field.tidy?.(text)).toBe(tidied)
  })

  it.each([
    ['13/30', '13 / 30'],
    ['29/12', '29 / 12'],
    ['29-12', '29 / 12'],
    ['٠٥/٢٩', '05 / 29'],
    ['202912', '12 / 2029'],
  ])('means what is pasted: %s', (text, shown) => {
    expect(new Typist(expiry_field.format).paste(text).value).toBe(shown)
  })

  it.each(['12/2029', '12/29', '1229', '122029', '12 / 29', '12-2029', '2029-12', ' 12.2029 '])(
    'is filled in as %j',
    (text) => {
      const { value } = new Typist(expiry_field.format).fill(text)
      expect(expiry_field.tidy?.(value)).toBe('12 / 29')
    },
  )
})

describe('the numbers of a bank account and a security code', () => {
  it.each([
    [routing_number_field, '110 000-0001', '110000000|'],
    [account_number_field, '0001 2345 6789', '000123456789|'],
    [account_number_field, '123456789012345678', '12345678901234567|'],
    [cvc_field, '12345', '1234|'],
  ])('are digits and nothing else', (field, keys, shown) => {
    expect(typed(field, keys)).toBe(shown)
  })
})

describe('every field', () => {
  const fields = { number_field, expiry_field, cvc_field, routing_number_field, account_number_field }
  const keys = fc.string({ unit: fc.constantFrom(...'0123456789 /-<>[]'), maxLength: 40 })

  it.each(Object.entries(fields))('keeps to its format whatever is pressed: %s', (_name, { format }) => {
    fc.assert(
      fc.property(keys, (keys) => {
        const field = new Typist(format).press(keys)
        const content = format.content(field.value, false)
        expect([format.write(content, true), format.write(content, false)]).toContain(field.value)
        expect(field.caret).toBeLessThanOrEqual(field.value.length)
        expect(format.content(format.write(content, true), false)).toBe(content)
      }),
    )
  })

  it.each(Object.entries(fields))(
    'can be emptied with Backspace alone, or Delete: %s',
    (_name, { format }) => {
      fc.assert(
        fc.property(keys, (keys) => {
          expect(new Typist(format).press(keys).press(']'.repeat(30) + '<'.repeat(30)).value).toBe('')
          expect(new Typist(format).press(keys).press('['.repeat(30) + '>'.repeat(30)).value).toBe('')
        }),
      )
    },
  )
})
