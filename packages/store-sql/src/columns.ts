import { type TableName, tables, uniqueColumns } from '@quittance/core'

/** How a column is stored: as it is (`number` if it is a whole number), as a boolean, or as JSON text. */
export type ColumnKind = 'plain' | 'number' | 'boolean' | 'json'

export interface Column {
  readonly name: string
  readonly kind: ColumnKind
  readonly nullable: boolean
  /** Whether it is in a unique constraint besides the primary key. */
  readonly unique: boolean
}

/** The part of a column's zod schema that is read here. */
interface ColumnSchema {
  readonly def: { readonly type: string; readonly innerType?: ColumnSchema }
}

export const tableNames = Object.keys(tables) as TableName[]

/** Tables with a `due_at`, in the order in which rows due at the same time are listed. */
export const timedTables = tableNames.filter((name) => 'due_at' in tables[name].row.shape).sort()

/** The columns of a table, as its record's schema has them, in the same order. */
export function columnsOf(name: TableName): Column[] {
  const unique = uniqueColumns(name)
  const shape = tables[name].row.shape as unknown as Readonly<Record<string, ColumnSchema>>
  return Object.entries(shape).map(([column, schema]) => ({
    name: column,
    kind: kindOf(schema),
    nullable: schema.def.type === 'nullable',
    unique: unique.includes(column),
  }))
}

function kindOf({ def }: ColumnSchema): ColumnKind {
  if (def.type === 'nullable' && def.innerType !== undefined) return kindOf(def.innerType)
  if (def.type === 'boolean' || def.type === 'number') return def.type
  return def.type === 'object' || def.type === 'array' || def.type === 'record' ? 'json' : 'plain'
}
