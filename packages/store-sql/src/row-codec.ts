import type { StoredRow, TableName, Tables } from '@quittance/core'
import { type Column, columnsOf } from './columns.ts'

export type SqlRow = Record<string, unknown>

/** How the database stores booleans, and whether its driver gives whole numbers as text. */
export interface Encoding {
  readonly booleans: 'integer' | 'native'
  readonly numbers: 'native' | 'text'
}

/** Translates between a row and its columns in the database. */
export class RowCodec<Name extends TableName = TableName> {
  readonly columns: readonly Column[]
  readonly #booleans: Encoding['booleans']
  readonly #translated: readonly Column[]
  /** The name of each column, and its name in a join. */
  readonly #joined: readonly (readonly [name: string, joined: string])[]

  constructor(name: Name, { booleans, numbers }: Encoding) {
    this.columns = columnsOf(name)
    this.#booleans = booleans
    this.#joined = this.columns.map((column) => [column.name, `${name}.${column.name}`])
    this.#translated = this.columns.filter(
      ({ kind }) =>
        kind === 'json' ||
        (kind === 'boolean' && booleans === 'integer') ||
        (kind === 'number' && numbers === 'text'),
    )
  }

  /** The values of `columns`, in their order. */
  encode(row: Readonly<SqlRow>, columns: readonly Column[] = this.columns): unknown[] {
    return columns.map((column) => this.encodeValue(column, row[column.name]))
  }

  encodeValue({ name, kind }: Column, value: unknown): unknown {
    if (value === undefined) throw new Error(`the column ${name} has no value`)
    if (value === null || kind === 'plain' || kind === 'number') return value
    if (kind === 'json') return JSON.stringify(value)
    return encodeBoolean(value, this.#booleans)
  }

  /** Translates a row of the database in place: nobody else has it. */
  decode(row: SqlRow): StoredRow {
    for (const { name, kind } of this.#translated) {
      const value = row[name]
      if (kind === 'boolean') row[name] = value === 1
      // The text of a number is JSON too.
      else if (typeof value === 'string') row[name] = JSON.parse(value)
    }
    return row as StoredRow
  }

  /** A row of a join, whose columns are named `<table>.<column>`. */
  decodeJoined(row: Readonly<SqlRow>): Tables[Name] {
    const own: SqlRow = {}
    for (const [name, joined] of this.#joined) own[name] = row[joined]
    return this.decode(own) as unknown as Tables[Name]
  }

  column(name: string): Column {
    const column = this.columns.find((candidate) => candidate.name === name)
    if (column === undefined) throw new Error(`there is no column ${name}`)
    return column
  }
}

export function encodeBoolean(value: unknown, booleans: Encoding['booleans']): unknown {
  return booleans === 'integer' ? Number(value) : value
}
