/** A card network: what its numbers begin with, how long they are, and how they are printed on the card. */
interface CardBrand {
  id: string
  name: string
  /** Ranges of first digits, inclusive. */
  prefixes: readonly (readonly [from: number, to: number])[]
  lengths: readonly number[]
  /** How many digits precede each gap. */
  gaps: readonly number[]
  cvc_length: number
}

const fours = [4, 8, 12, 16] as const
const sixteen_to_nineteen = [16, 17, 18, 19] as const

/** Ranges as the networks publish them (ISO/IEC 7812). */
export const card_brands: readonly CardBrand[] = [
  brand('visa', 'Visa', [range(4)], { lengths: [13, 16, 19] }),
  brand('mastercard', 'Mastercard', [range(51, 55), range(2221, 2720)], { lengths: [16] }),
  brand('amex', 'Amex', [range(34), range(37)], { lengths: [15], gaps: [4, 10], cvc_length: 4 }),
  brand('discover', 'Discover', [range(6011), range(644, 649), range(65)]),
  brand('diners', 'Diners Club', [range(300, 305), range(3095), range(36), range(38, 39)], {
    lengths: [14, 16, 17, 18, 19],
  }),
  brand('jcb', 'JCB', [range(3528, 3589)]),
  brand('unionpay', 'UnionPay', [range(62)]),
]

/** The network of a number, as soon as its first digits leave no other; null before that. */
export function brandOf(digits: string): CardBrand | null {
  return card_brands.find(({ prefixes }) => prefixes.some((prefix) => beginsWithin(digits, prefix))) ?? null
}

/** The places of the gaps in a number of this length. */
export function gapsOf(digits: string): readonly number[] {
  const found = brandOf(digits)
  if (found?.id === 'diners' && digits.length <= 14) return [4, 10]
  return found?.gaps ?? fours
}

/** The most digits that the number can have. For an unknown network, ISO/IEC 7812 allows 19. */
export function longest(digits: string): number {
  return Math.max(...(brandOf(digits)?.lengths ?? [19]))
}

/** The network's own lengths; for unknown networks, 12 to 19 digits (ISO/IEC 7812). */
export function hasRightLength(digits: string): boolean {
  const found = brandOf(digits)
  return found ? found.lengths.includes(digits.length) : digits.length >= 12 && digits.length <= 19
}

/** UnionPay issues numbers without a check digit. */
export function hasRightCheckDigit(digits: string): boolean {
  return brandOf(digits)?.id === 'unionpay' || passesLuhn(digits)
}

function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((sum, digit, place) => {
    const value = place % 2 === 1 ? Number(digit) * 2 : Number(digit)
    return sum + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

function beginsWithin(digits: string, [from, to]: readonly [number, number]): boolean {
  const length = String(from).length
  const start = Number(digits.slice(0, length))
  return digits.length >= length && from <= start && start <= to
}

function brand(
  id: string,
  name: string,
  prefixes: CardBrand['prefixes'],
  { lengths = sixteen_to_nineteen, gaps = fours, cvc_length = 3 }: Partial<CardBrand> = {},
): CardBrand {
  return { id, name, prefixes, lengths, gaps, cvc_length }
}

function range(first: number, last = first): [from: number, to: number] {
  return [first, last]
}
