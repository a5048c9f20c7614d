import type { TableName } from '@quittance/core'
import { type Column, type ColumnKind, columnsOf, type ManyRows } from '@quittance/store-sql'
import { quoted } from '../quoting.ts'

type Parameter = Pick<Column, 'name' | 'kind'>

const key: readonly Parameter[] = [
  { name: 'workspace', kind: 'plain' },
  { name: 'livemode', kind: 'boolean' },
  { name: 'id', kind: 'plain' },
]

const arrays: Readonly<Record<ColumnKind, string>> = {
  plain: 'text[]',
  number: 'bigint[]',
  boolean: 'boolean[]',
  json: 'json[]',
}

/**
 * Statements that look each row up by itself: for `id = ANY(…)` Postgres before 17 may read all of a scope, 90 ms for ten of
 * 100,000 rows where most workspaces are small, and for a join the whole table.
 */
export function manyRows(schema: string): ManyRows {
  const table = (name: TableName) => `${quoted(schema)}."${name}"`
  return {
    lock: (name) => ({
      sql: `SELECT d.* FROM (
  SELECT * FROM ${given(key)} ORDER BY "workspace" COLLATE "C", "livemode", "id" COLLATE "C"
) i CROSS JOIN LATERAL (
  SELECT ${columnsOf(name).map(nameOf)} FROM ${table(name)} d WHERE ${is_given} LIMIT 1 FOR UPDATE
) d`,
    }),
    // For a LIMIT of unknown value Postgres expects few rows here, and goes to each by its ctid.
    update: (name, columns) => ({
      sql: `UPDATE ${table(name)} d SET ${columns.map((column) => `${nameOf(column)} = i.${nameOf(column)}`)} FROM (
  SELECT *, (SELECT d.ctid FROM ${table(name)} d WHERE ${is_given}) AS "version"
  FROM ${given([...columns, ...key])} LIMIT cardinality($${columns.length + key.length}::text[])
) i WHERE d.ctid = i."version"`,
    }),
  }
}

/** The rows of the parameters, each of which has the values of a column. */
function given(columns: readonly Parameter[]): string {
  const values = columns.map(({ kind }, index) => `$${index + 1}::${arrays[kind]}`)
  return `unnest(${values}) i (${columns.map(nameOf)})`
}

const is_given = key.map((column) => `d.${nameOf(column)} = i.${nameOf(column)}`).join(' AND ')

function nameOf({ name }: Parameter): string {
  return quoted(name)
}
