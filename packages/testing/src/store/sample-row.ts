import { type Scope, shifted, type TableName, type Tables, tables, uniqueColumns } from '@quittance/core'
import fc from 'fast-check'

export interface AnyRow {
  workspace: string
  livemode: boolean
  id: string
  [column: string]: unknown
}

/** What this file reads of a column's zod schema. */
interface ColumnSchema {
  readonly def: {
    readonly type: string
    readonly format?: string
    readonly innerType?: ColumnSchema
    readonly element?: ColumnSchema
    readonly valueType?: ColumnSchema
  }
  readonly options?: readonly string[]
  readonly shape?: Readonly<Record<string, ColumnSchema>>
  readonly minValue?: number | null
  readonly maxValue?: number | null
}

export const tableNames = Object.keys(tables) as TableName[]

export function columnsOf(name: TableName): Readonly<Record<string, ColumnSchema>> {
  return tables[name].row.shape as unknown as Readonly<Record<string, ColumnSchema>>
}

export const at = '2026-01-31T12:00:00.000Z'

/** The plainest row of a table: null where that is allowed, and unique where that is required. */
export function sampleRow<Name extends TableName>(
  name: Name,
  scope: Scope,
  id: string,
  columns: Partial<Tables[Name]> = {},
): AnyRow & Tables[Name] {
  const row: Record<string, unknown> = {}
  for (const [column, schema] of Object.entries(columnsOf(name))) row[column] = plainest(schema)
  for (const column of uniqueColumns(name)) if (row[column] !== null) row[column] = `${column} of ${id}`
  return { ...row, ...columns, ...scope, id } as AnyRow & Tables[Name]
}

/** Columns of a table with every value its schema allows; a scope and an id make a row of them. */
export function anyRow(name: TableName): fc.Arbitrary<Record<string, unknown>> {
  const columns = Object.entries(columnsOf(name)).map(([column, schema]) => [column, anyValue(schema)])
  return fc.record(Object.fromEntries(columns))
}

/** Texts that some database treats as equal: in another case, with an accent or a trailing space, or cut off. */
export const similar_texts = ['one', 'One', 'oné', 'one ', 'on']

/** Texts that Unicode or a collation treats as equal: decomposed, with invisible characters, of another width. */
export const equivalent_texts = ['one\u0301', 'one\u200b', 'o\u00adne', '\uff4fne', 'stra\u00dfe', 'strasse']

/** Patterns of which `one` is an example, and texts that are equal as numbers. */
export const matching_texts = ['on_', 'o%', '7', '07', '7.0']

/** Names of properties that every JavaScript object inherits. */
export const inherited_texts = ['constructor', '__proto__']

/** As long as a text that is looked up may be, and the same except for the last character. */
export const long_texts = ['1', '2'].map((end) => 'x'.repeat(499) + end)

/** Different values of a column, and null too if it is allowed. */
export function differentValues(schema: ColumnSchema): unknown[] {
  const { type, format } = schema.def
  if (type === 'nullable') return [...differentValues(inner(schema)), null]
  if (schema.options !== undefined) return schema.options.slice(0, 2)
  if (type === 'boolean') return [true, false]
  if (type === 'number') return [1, 2].map((value) => value + Math.max(0, schema.minValue ?? 0))
  return format === 'datetime' ? [at, shifted(at, 1)] : similar_texts
}

/** A value of a unique column, the same at every call. */
export function takenValue(name: TableName, column: string): unknown {
  const schema = columnsOf(name)[column]
  const { type } = schema?.def.innerType?.def ?? schema?.def ?? {}
  return type === 'number' ? 7 : `the ${column}`
}

/** Columns of any text: neither ids nor times, and neither looked up nor unique. */
export function freeTexts(name: TableName): string[] {
  const kept_short: readonly string[] = ['id', 'workspace', ...tables[name].filters, ...uniqueColumns(name)]
  return Object.entries(columnsOf(name)).flatMap(([column, schema]) => {
    const { type, format } = (schema.def.innerType ?? schema).def
    return type === 'string' && format === undefined && !kept_short.includes(column) ? [column] : []
  })
}

export function holdsObjects(schema: ColumnSchema): boolean {
  return ['array', 'object', 'record'].includes((schema.def.innerType ?? schema).def.type)
}

export function isNullable(name: TableName, column: string): boolean {
  return columnsOf(name)[column]?.def.type === 'nullable'
}

function plainest(schema: ColumnSchema): unknown {
  const { type, format } = schema.def
  if (type === 'nullable') return null
  if (type === 'enum') return schema.options?.[0]
  if (type === 'boolean') return true
  if (type === 'number') return Math.max(1, schema.minValue ?? 1)
  if (type === 'array') return []
  if (type === 'record') return {}
  if (type === 'object') {
    return Object.fromEntries(
      Object.entries(schema.shape ?? {}).map(([key, value]) => [key, plainest(value)]),
    )
  }
  return format === 'datetime' ? at : 'text'
}

const texts = [
  '',
  ' ',
  "'); drop table payments; --",
  '\\u0000 "quoted"\n',
  'é e\u0301 ß 漢字 🧾👩‍👩‍👧',
  'x'.repeat(500),
  ' two lines\r\n\tof text ',
  "\ufeffit''s \\\\ two\u2028lines\u0001",
  'null',
  '[]',
]

function anyValue(schema: ColumnSchema): fc.Arbitrary<unknown> {
  const { type, format } = schema.def
  if (type === 'nullable') return fc.option(anyValue(inner(schema)), { nil: null })
  if (type === 'enum') return fc.constantFrom(...(schema.options ?? []))
  if (type === 'boolean') return fc.boolean()
  if (type === 'number') return anyInteger(schema)
  if (type === 'array') return fc.array(anyValue(inner(schema)), { maxLength: 5 })
  if (type === 'record') return fc.dictionary(anyText(), anyValue(inner(schema)), { noNullPrototype: true })
  if (type === 'object') {
    const fields = Object.entries(schema.shape ?? {}).map(([key, value]) => [key, anyValue(value)])
    // Half of them with their keys in another order than the schema's.
    return fc
      .tuple(fc.record(Object.fromEntries(fields)), fc.boolean())
      .map(([value, turned]) => (turned ? Object.fromEntries(Object.entries(value).reverse()) : value))
  }
  if (format === 'datetime')
    return fc.date({ min: new Date(at), noInvalidDate: true }).map((date) => date.toISOString().slice(-24))
  return anyText()
}

function anyInteger(schema: ColumnSchema): fc.Arbitrary<number> {
  // If the schema has no lower bound, the number is positive: a store may check amounts by itself.
  const declared = schema.minValue ?? -1
  const min = declared < 0 ? 1 : declared
  const max = Math.min(schema.maxValue ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)
  return fc.oneof(
    fc.constantFrom(min, max),
    fc.integer({ min, max: Math.min(max, 2 ** 31 - 1) }),
    fc.integer({ min, max }),
  )
}

/** Text as the edge lets it in: no NUL and no lone surrogates. */
function anyText(): fc.Arbitrary<string> {
  return fc.oneof(fc.constantFrom(...texts), fc.string({ unit: 'grapheme', maxLength: 40 }))
}

function inner(schema: ColumnSchema): ColumnSchema {
  const found = schema.def.innerType ?? schema.def.element ?? schema.def.valueType
  if (found === undefined) throw new Error(`a ${schema.def.type} without a type inside`)
  return found
}
