import { expect, it } from 'vitest'
import { openApiDocument } from '../src/openapi/document.ts'

type Schema = Record<string, unknown>

interface Described {
  requestBody: {
    content: { 'application/json': { schema: { properties: Record<string, { pattern?: string }> } } }
  }
}

interface Delivered {
  requestBody: {
    content: {
      'application/json': {
        schema: {
          properties: { type: { const: string }; data: { properties: { object: object } } }
          required: string[]
        }
      }
    }
  }
}

interface OneOf {
  properties: {
    object?: {
      const?: string
      oneOf?: { $ref: string }[]
      discriminator?: { propertyName: string; mapping: Record<string, string> }
    }
  }
}

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

it('has no two values of an enum that differ only in case, which would be given one name', () => {
  const enums = parts(openApiDocument()).flatMap((part) => (Array.isArray(part.enum) ? [part.enum] : []))
  const names = (values: unknown[]) => new Set(values.map((value) => String(value).toLowerCase()))
  expect(enums.length).toBeGreaterThan(50)
  expect(enums.filter((values) => names(values).size < values.length)).toEqual([])
})

it('takes a currency in either case all the same, and no other', () => {
  const { paths } = openApiDocument() as unknown as { paths: Record<string, { post: Described }> }
  const judged = (path: string, code: string) => {
    const { schema } = paths[path]?.post.requestBody.content['application/json'] ?? {}
    return new RegExp(schema?.properties.currency?.pattern ?? '$.').test(code)
  }
  for (const code of ['USD', 'usd', 'CAD', 'cad']) {
    expect(judged('/payments', code)).toBe(true)
    expect(judged('/checkout-sessions', code)).toBe(true)
    expect(judged('/payment-method-sessions', code)).toBe(code.toLowerCase() === 'usd')
  }
  for (const code of ['EUR', 'Usd', 'USDX', 'XCAD', '']) expect(judged('/payments', code)).toBe(false)
})

it("tells what an event is about by its object's own name, and not by which schema fits first", () => {
  const { schemas } = openApiDocument().components as { schemas: Record<string, OneOf> }
  const { oneOf, discriminator } = schemas.EventData?.properties.object ?? {}
  expect(discriminator?.propertyName).toBe('object')
  const mapping = Object.entries(discriminator?.mapping ?? {})
  expect(mapping.map(([, $ref]) => ({ $ref }))).toEqual(oneOf)
  expect(mapping.map(([value]) => value)).toEqual(['payment', 'refund', 'checkout_session'])
  for (const [value, $ref] of mapping) {
    expect(schemas[$ref.split('/').at(-1) ?? '']?.properties.object?.const).toBe(value)
  }
})

it('gives no type to unnamed fields of an error, which would also hold for the optional ones', () => {
  const { schemas } = openApiDocument().components as { schemas: { ErrorDetails: Schema } }
  const { properties, required, ...error } = schemas.ErrorDetails
  expect(properties).toHaveProperty('param')
  expect(required).not.toContain('param')
  expect(error).not.toHaveProperty('additionalProperties')
  expect(error.description).toContain('Further strings')
})

it('narrows only the code of an error, next to its other fields: some clients keep the last of two `error`s', () => {
  const refusals = parts(openApiDocument()).flatMap(({ properties }) => {
    const { error } = (properties ?? {}) as { error?: { allOf?: [Schema, Schema] } }
    return error?.allOf ? [error.allOf] : []
  })
  expect(refusals.length).toBeGreaterThan(100)
  for (const [details, narrowed] of refusals) {
    expect(details).toEqual({ $ref: '#/components/schemas/ErrorDetails' })
    expect(Object.keys(narrowed.properties as object)).toEqual(['code'])
  }
})

it('gives each delivery a schema of its own, whose object is the one its type is about', () => {
  const { webhooks } = openApiDocument() as unknown as { webhooks: Record<string, { post: Delivered }> }
  for (const [type, { post }] of Object.entries(webhooks)) {
    const { schema } = post.requestBody.content['application/json']
    expect(schema).not.toHaveProperty('allOf')
    expect(schema.properties.type.const).toBe(type)
    expect(Object.keys(schema.properties).sort()).toEqual([...schema.required].sort())
    expect(schema.properties.data.properties.object).toHaveProperty('$ref')
  }
})
