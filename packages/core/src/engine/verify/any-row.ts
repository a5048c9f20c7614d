import type { TableName } from '../../ports/tables.ts'
import { day_ms, shifted } from '../../schema/timestamps.ts'
import type { Around } from './check.ts'
import type { Report } from './violation.ts'

/** M47: an id names its environment. */
export function inItsEnvironment(row: { id: string; livemode: boolean }, _: Around, report: Report): void {
  const mode = /^[a-z]+_(test|live)_/.exec(row.id)?.[1]
  if (mode === undefined || (mode === 'live') !== row.livemode) {
    report(
      'M47',
      `is kept in the ${row.livemode ? 'live environment' : 'sandbox'}, and its id says otherwise`,
    )
  }
}

/** Rows due for longer than this are reported. A running reconciler and dispatcher see to them within seconds. */
const patience_ms = day_ms

/** M53: nothing waits for ever. */
export function notOverdue({ due_at }: { due_at: string | null }, { now }: Around, report: Report): void {
  if (due_at !== null && due_at < shifted(now, -patience_ms)) {
    report('M53', `has been due since ${due_at}`)
  }
}

/** M47: what its column names, if anything, is of the same workspace and environment. */
export function naming<Column extends string>(column: Column, table: TableName, what: string) {
  return async (row: { [Name in Column]: string | null }, { rows }: Around, report: Report) => {
    const id = row[column]
    if (id !== null && !(await rows[table].get(id))) report('M47', `names ${what} that is not there`)
  }
}

export const ofItsCustomer = naming('customer', 'customers', 'a customer')

/** Money is whole cents. */
export function isMoney(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

export function totalOf(rows: readonly { amount: number }[]): number {
  return rows.reduce((sum, { amount }) => sum + amount, 0)
}
