import { expect, it } from 'vitest'
import { openApiDocument } from '../src/openapi/document.ts'

type Schema = Record<string, unknown>

/** Every object of the document, whatever it is. */
function parts(value: unknown): Schema[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.values(value).flatMap(parts)
  return Array.isArray(value) ? inside : [value as Schema, ...inside]
}

it('has no tuple, at which several generators of clients give up', () => {
  const tuples = parts(openApiDocument()).filter(
    (part) => 'prefixItems' in part || typeof part.items === 'boolean',
  )
  expect(tuples).toEqual([])
})
