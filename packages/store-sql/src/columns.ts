import { type TableName, tables } from '@quittance/core'

/** How a column is kept: as it is, a whole number among that, as a yes or no, or as JSON text. */
export type ColumnKind = 'plain' | 'number' | 'boolean' | 'json'

export interface Column {
  readonly name: string
  readonly kind: ColumnKind
  readonly nullable: boolean
}

/** What is read here of a column's zod schema. */
interface ColumnSchema {
  readonly def: { readonly type: string; readonly innerType?: ColumnSchema }
}

export const tableNames = Object.keys(tables) as TableName[]

/** Tables whose rows time asks for, in the order in which it asks for those of one time. */
export const timedTables = tableNames.filter((name) => 'due_at' in tables[name].row.shape).sort()

/** The columns of a table, from its record's schema and in its order. */
export function columnsOf(name: TableName): Column[] {
  const shape = tables[name].row.shape as unknown as Readonly<Record<string, ColumnSchema>>
  return Object.entries(shape).map(([column, schema]) => ({
    name: column,
    kind: kindOf(schema),
    nullable: schema.def.type === 'nullable',
  }))
}

function kindOf({ def }: ColumnSchema): ColumnKind {
  if (def.type === 'nullable' && def.innerType !== undefined) return kindOf(def.innerType)
  if (def.type === 'boolean' || def.type === 'number') return def.type
  return def.type === 'object' || def.type === 'array' || def.type === 'record' ? 'json' : 'plain'
}
