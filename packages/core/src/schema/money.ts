import { z } from 'zod'

export const largest_amount = 99_999_999

/** An amount in the smallest currency unit: 1 to 99,999,999. */
export const amount = z.int().min(1).max(largest_amount)

/** A sum of amounts, which can be 0. */
export const sum = z.int().min(0)

/** ISO 4217; a request may write it in lower case. */
export const currency = z.enum(['USD', 'CAD'])
export type Currency = z.output<typeof currency>
export const currencyParameter = z
  .enum(['USD', 'CAD', 'usd', 'cad'])
  .transform((code) => currency.parse(code.toUpperCase()))
