import { z } from 'zod'

/** The merchant's own reference. */
export const referenceText = z.string().min(1).max(100)

export const descriptionText = z.string().max(500)

/**
 * An address that a browser's e-mail field accepts. By default zod accepts less than `format: email`, which is all that the
 * OpenAPI document says: no `&`, `/` or `=`, and no dot right before the `@`.
 */
export const emailAddress = z.email({ pattern: z.regexes.html5Email }).max(254)

/** A value that a list is filtered by (specification: Limits). */
export const filterText = z.string().min(1).max(100)

/** What is wrong with a text that is not storable. */
export const not_storable = 'This text has a NUL character or half a surrogate pair.'

/** No NUL and no lone surrogates, which not every database can store. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** The path to the first text in a value that is not storable; if that text is the name of a field, the path to its object. */
export function pathToUnstorable(value: unknown): PropertyKey[] | null {
  if (typeof value === 'string') return isStorable(value) ? null : []
  if (typeof value !== 'object' || value === null) return null
  for (const [name, inner] of Object.entries(value)) {
    if (!isStorable(name)) return []
    const path = pathToUnstorable(inner)
    if (path !== null) return [Array.isArray(value) ? Number(name) : name, ...path]
  }
  return null
}
