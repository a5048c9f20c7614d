import { brandOf } from './card-brand.ts'
import { cvc_field, expiry_field, number_field, numberOf, readExpiry, roomOf } from './card-fields.ts'
import { runFrame } from './frame.ts'
import { say, textOf } from './frame-dom.ts'
import { asciiDigits } from './typed-text.ts'

runFrame({
  fields: [number_field, expiry_field, cvc_field],
  body: () => ({
    type: 'card',
    number: typedNumber(),
    ...readExpiry(textOf('expiry')),
    cvc: asciiDigits(textOf('cvc')),
  }),
  brand: () => brandOf(typedNumber())?.id ?? null,
  show(texts) {
    const digits = typedNumber()
    const brand = brandOf(digits)
    say('room', roomOf(digits))
    say('brand', brand?.name ?? '')
    say('cvc-hint', texts[brand?.cvc_length === 4 ? 'cvc_hint_amex' : 'cvc_hint'])
  },
  test_details_only: 'test_card_only',
})

function typedNumber(): string {
  return numberOf(textOf('number'))
}
