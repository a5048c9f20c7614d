import type { SqlDriver, SqlRow, Statement } from '@quittance/store-sql'
import type { Database, Statement as Prepared } from 'better-sqlite3'

/** Prepares each statement once for a connection. */
export function sqliteDriver(database: Database): SqlDriver & SyncDriver {
  const statements = new Map<Statement, Prepared<unknown[], SqlRow>>()
  function prepared(statement: Statement): Prepared<unknown[], SqlRow> {
    const known = statements.get(statement)
    if (known !== undefined) return known
    const created = prepare(database, statement).safeIntegers(false)
    statements.set(statement, created)
    return created
  }
  return {
    all: (statement, parameters) => prepared(statement).all(...parameters),
    run: (statement, parameters) => prepared(statement).run(...parameters).changes,
    write(statement, parameters, missing) {
      if (prepared(statement).run(...parameters).changes === 0 && missing !== undefined) throw missing()
    },
  }
}

/** Says what to do about a table that is not there. */
function prepare(database: Database, { sql }: Statement): Prepared<unknown[], SqlRow> {
  try {
    return database.prepare<unknown[], SqlRow>(planned(sql))
  } catch (fault) {
    if (!(fault instanceof Error) || !fault.message.startsWith('no such table')) throw fault
    throw new Error(`The database lacks a table (${fault.message}): migrate it first.`, { cause: fault })
  }
}

/** SQLite answers at once. */
export interface SyncDriver {
  all(statement: Statement, parameters: unknown[]): SqlRow[]
  run(statement: Statement, parameters: unknown[]): number
}

/**
 * SQLite plans a query anew whenever a value is bound again that it looked at while planning (it might prove an
 * order, or that a partial index applies), and that costs many times the query: a page took 22 us instead of 4, a
 * claim 175 instead of 8. Behind a subquery it cannot look.
 */
export function planned(sql: string): string {
  return /^\s*(select|with)\b/i.test(sql) ? sql.replaceAll('?', '(SELECT ?)') : sql
}
