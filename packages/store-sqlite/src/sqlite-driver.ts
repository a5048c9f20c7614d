import { isError } from '@quittance/core'
import type { SqlDriver, SqlRow, Statement } from '@quittance/store-sql'
import type { Connection, Prepared } from './database.ts'

/** Prepares each text once per connection: a connection of the host may outlive many stores, which all use the same. */
export function sqliteDriver(connection: Connection): SqlDriver & SyncDriver {
  const statements = new Map<string, Prepared>()
  function prepared({ sql }: Statement): Prepared {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const created = prepare(connection, sql)
    statements.set(sql, created)
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
function prepare(connection: Connection, sql: string): Prepared {
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
