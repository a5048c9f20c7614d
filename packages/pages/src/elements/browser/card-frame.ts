import { brandOf } from './card-brand.ts'
import { cvc_field, expiry_field, number_field, numberOf, readExpiry, roomOf } from './card-fields.ts'
import { runFrame } from './frame.ts'
import { asciiDigits } from './typed-text.ts'

runFrame({
  fields: [number_field, expiry_field, cvc_field],
  body: (text) => ({
    type: 'card',
    number: numberOf(text('number')),
    ...readExpiry(text('expiry')),
    cvc: asciiDigits(text('cvc')),
  }),
  brand: (text) => brandOf(numberOf(text('number')))?.id ?? null,
  show({ text, say, texts }) {
    const digits = numberOf(text('number'))
    const brand = brandOf(digits)
    say('room', roomOf(digits))
    say('brand', brand?.name ?? '')
    say('cvc-hint', texts[brand?.cvc_length === 4 ? 'cvc_hint_amex' : 'cvc_hint'])
  },
  test_details_only: 'test_card_only',
})
