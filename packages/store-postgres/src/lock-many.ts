import type { TableName } from '@quittance/core'
import { columnsOf, type Statement } from '@quittance/store-sql'
import type { Answer, Command } from './batch.ts'

/**
 * Looks each id up by itself: for `id = ANY($3)` Postgres before 17 may read all of a scope, 90 ms for ten of 100,000
 * rows where most workspaces are small.
 */
export function lockManyStatement(schema: string, name: TableName): Statement {
  const columns = columnsOf(name).map((column) => `d."${column.name}"`)
  return {
    sql: `SELECT d.* FROM (SELECT unnest($3::text[]) COLLATE "C" AS "id" ORDER BY 1) i CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${schema}."${name}" d
      WHERE d."workspace" = $1 AND d."livemode" = $2 AND d."id" = i."id" LIMIT 1 FOR UPDATE
    ) d`,
  }
}

/** A command of a transaction, and who waits for its answer. */
export interface Asked extends Command {
  answered?(answer: Answer): void
  failed?(fault: unknown): void
}

type Group = [Asked, ...Asked[]]

/**
 * The commands in their order, but one for those that follow each other and lock rows of one scope: on Postgres a statement
 * costs more than a row.
 */
export function merged(commands: readonly Asked[]): Asked[] {
  const groups: Group[] = []
  for (const command of commands) {
    const group = groups.at(-1)
    if (group !== undefined && continues(group, command)) group.push(command)
    else groups.push([command])
  }
  return groups.map((group) => asOne(group))
}

/** Not with a row that is already there: both would share one answer, which its reader changes. */
function continues(group: Group, { statement, values }: Asked): boolean {
  const [first] = group
  if (statement.many === undefined || statement !== first.statement) return false
  const [workspace, livemode, id] = values
  if (workspace !== first.values[0] || livemode !== first.values[1]) return false
  return group.every((other) => other.values[2] !== id)
}

function asOne(group: Group): Asked {
  const [first] = group
  const { many } = first.statement
  if (group.length === 1 || many === undefined) return first
  const [workspace, livemode] = first.values
  return {
    statement: many,
    values: [workspace, livemode, arrayOf(group.map(({ values }) => values[2]))],
    answered({ rows, tag }) {
      const by_id = new Map(rows.map((row) => [row.id, row]))
      for (const { values, answered } of group) {
        const row = by_id.get(values[2])
        answered?.({ rows: row === undefined ? [] : [row], tag })
      }
    },
    failed(fault) {
      for (const { failed } of group) failed?.(fault)
    },
  }
}

/** As Postgres reads an array of texts. */
function arrayOf(texts: readonly unknown[]): string {
  return `{${texts.map((text) => `"${String(text).replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}
