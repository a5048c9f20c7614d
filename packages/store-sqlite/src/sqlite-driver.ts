import { isError } from '@quittance/core'
import type { SqlDriver, SqlRow, Statement } from '@quittance/store-sql'
import type { Connection, Prepared } from './database.ts'

/** Prepares each statement once per connection. */
export function sqliteDriver(connection: Connection): SqlDriver & SyncDriver {
  const statements = new Map<Statement, Prepared>()
  function prepared(statement: Statement): Prepared {
    const known = statements.get(statement)
    if (known !== undefined) return known
    const created = prepare(connection, statement)
    statements.set(statement, created)
    return created
  }
  const run = (statement: Statement, parameters: unknown[]) =>
    Number(prepared(statement).run(...parameters).changes)
  return {
    all: <Row extends SqlRow>(statement: Statement, parameters: unknown[]) =>
      prepared(statement).all(...parameters) as Row[],
    run,
    write: run,
  }
}

/** If a table is missing, the error says what to do about it. */
function prepare(connection: Connection, { sql }: Statement): Prepared {
  try {
    return connection.prepare(planned(sql))
  } catch (fault) {
    if (!isError(fault) || !fault.message.startsWith('no such table')) throw fault
    throw new Error(`The database lacks a table (${fault.message}): migrate it first.`, { cause: fault })
  }
}

/** SQLite answers at once. */
export interface SyncDriver {
  all<Row extends SqlRow = SqlRow>(statement: Statement, parameters: unknown[]): Row[]
  run(statement: Statement, parameters: unknown[]): number
}

/**
 * SQLite replans a query whenever a parameter is rebound whose value it looked at while planning (the value might
 * prove an order, or that a partial index applies). That costs many times the query: a page took 22 us instead of 4, a
 * claim 175 instead of 8. It cannot look into a subquery, so each parameter is wrapped in one.
 */
export function planned(sql: string): string {
  return /^\s*(select|with)\b/i.test(sql) ? sql.replaceAll('?', '(SELECT ?)') : sql
}
