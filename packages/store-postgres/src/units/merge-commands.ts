import type { Answer, Command } from './batch.ts'

/** A command of a transaction, and who waits for its answer. */
export interface Asked extends Command {
  answered?(answer: Answer): void
  failed?(fault: unknown): void
}

/** The same statement, for one row or several. */
interface Group {
  readonly first: Asked
  readonly by_key: Map<string, Asked>
}

/**
 * The commands in their order, with those that follow each other and do the same to several rows merged into one: on Postgres a
 * statement costs more than a row. A row that is already in one is not merged into it: two locks would share one answer, which
 * its reader changes, and of two updates either could be the last.
 */
export function merged(commands: readonly Asked[]): Asked[] {
  const groups: Group[] = []
  for (const command of commands) {
    const { statement, values } = command
    const key = statement.many === undefined ? '' : keyOf(values)
    const group = groups.at(-1)
    const continues = statement.many !== undefined && statement === group?.first.statement
    if (continues && !group.by_key.has(key)) group.by_key.set(key, command)
    else groups.push({ first: command, by_key: new Map([[key, command]]) })
  }
  return groups.map(asOne)
}

function asOne({ first, by_key }: Group): Asked {
  const { many } = first.statement
  if (by_key.size === 1 || many === undefined) return first
  const commands = [...by_key.values()]
  return {
    statement: many,
    values: first.values.map((_, place) => arrayOf(commands.map(({ values }) => values[place]))),
    answered({ rows, tag }) {
      const found = new Map(rows.map((row) => [keyOf([row.workspace, row.livemode, row.id]), row]))
      for (const [key, { answered }] of by_key) {
        const row = found.get(key)
        answered?.({ rows: row === undefined ? [] : [row], tag })
      }
    },
    failed(fault) {
      for (const { failed } of commands) failed?.(fault)
    },
  }
}

/** The last parameters, which are workspace, livemode and id. */
function keyOf(values: readonly unknown[]): string {
  return values.slice(-3).join(' ')
}

/** An array of any type, as Postgres reads it. */
function arrayOf(values: readonly unknown[]): string {
  return `{${values.map(elementOf).join(',')}}`
}

function elementOf(value: unknown): string {
  return value === null || value === undefined ? 'NULL' : `"${String(value).replace(/["\\]/g, '\\$&')}"`
}
