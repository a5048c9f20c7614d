import { z } from 'zod'

/** The merchant's own reference. */
export const referenceText = z.string().min(1).max(100)

export const descriptionText = z.string().max(500)

/** A value that a list is filtered by (specification: Limits). */
export const filterText = z.string().min(1).max(100)

/** No NUL and no lone surrogates, which not every database can store. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
