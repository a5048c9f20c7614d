import { type Column, columnsOf, type ManyRows } from '@quittance/store-sql'
import type { Answer, Command } from './batch.ts'

/** The type of an array of such values, as parameters give them. */
const arrays: Readonly<Record<Column['kind'], string>> = {
  plain: 'text[]',
  number: 'bigint[]',
  boolean: 'boolean[]',
  json: 'json[]',
}

export function manyRows(schema: string): ManyRows {
  return {
    lock: (name) => ({
      sql: `SELECT ${columnsOf(name).map(quoted)} FROM ${schema}."${name}" WHERE ${rowsFrom(1)} ORDER BY "id" FOR UPDATE`,
    }),
    update(name, columns) {
      const ids = columns.length + 3
      const own = (place: number, { kind }: Column) =>
        `($${place}::${arrays[kind]})[array_position($${ids}::text[], "id")]`
      const set = columns.map((column, index) => `${quoted(column)} = ${own(index + 1, column)}`)
      return { sql: `UPDATE ${schema}."${name}" SET ${set} WHERE ${rowsFrom(columns.length + 1)}` }
    },
  }
}

const quoted = ({ name }: Column) => `"${name}"`

/** Of an array of ids an index is asked for each, where a join could read the table. */
const rowsFrom = (place: number) =>
  `"workspace" = $${place} AND "livemode" = $${place + 1} AND "id" = ANY($${place + 2}::text[])`

/** A command of a transaction, and who waits for its answer. */
export interface Asked extends Command {
  answered?(answer: Answer): void
  failed?(fault: unknown): void
}

/**
 * The commands in their order, but one for those that follow each other and do the same to several rows of a scope: on
 * Postgres a statement costs more than a row.
 */
export function merged(commands: readonly Asked[]): Asked[] {
  const groups: [Asked, ...Asked[]][] = []
  for (const command of commands) {
    const group = groups.at(-1)
    if (group !== undefined && continues(group, command)) group.push(command)
    else groups.push([command])
  }
  return groups.map((group) => (group.length === 1 ? group[0] : asOne(group)))
}

/** Not with a row that is already there: its second answer would be the first, and its last value not the one it keeps. */
function continues(group: readonly [Asked, ...Asked[]], { statement, values }: Asked): boolean {
  const [first] = group
  if (statement.many === undefined || statement !== first.statement) return false
  const [workspace, livemode, id] = values.slice(-3)
  const [its_workspace, its_livemode] = first.values.slice(-3)
  if (workspace !== its_workspace || livemode !== its_livemode) return false
  return group.every((other) => other.values.at(-1) !== id)
}

function asOne(group: readonly [Asked, ...Asked[]]): Asked {
  const [{ statement, values }] = group
  const [workspace, livemode] = [values.length - 3, values.length - 2]
  return {
    statement: statement.many ?? statement,
    values: values.map((value, place) =>
      place === workspace || place === livemode
        ? value
        : arrayOf(group.map((command) => command.values[place])),
    ),
    answered({ rows, tag }) {
      const by_id = new Map(rows.map((row) => [row.id, row]))
      for (const command of group) {
        const row = by_id.get(command.values.at(-1))
        command.answered?.({ rows: row === undefined ? [] : [row], tag })
      }
    },
    failed(fault) {
      for (const command of group) command.failed?.(fault)
    },
  }
}

/** As Postgres reads an array, of any type. */
function arrayOf(values: readonly unknown[]): string {
  const items = values.map((value) =>
    value === null ? 'NULL' : `"${String(value).replace(/["\\]/g, '\\$&')}"`,
  )
  return `{${items.join(',')}}`
}
