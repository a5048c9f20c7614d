import type { TableName } from '../../ports/tables.ts'
import { day_ms, later, shifted } from '../../schema/timestamps.ts'
import type { Around } from './check.ts'
import type { Report, Violation } from './violation.ts'

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

/** Rows due for longer than this are reported. A running reconciler and dispatcher process them within seconds. */
const patience_ms = day_ms

/** M53: nothing waits for ever. */
export function notOverdue({ due_at }: { due_at: string | null }, { now }: Around, report: Report): void {
  if (due_at !== null && due_at < shifted(now, -patience_ms)) {
    report('M53', `has been due since ${due_at}`)
  }
}

/** The longest rule waits for three days, but the clock of a sandbox may be a year ahead of the one that checks. */
const longest_wait_ms = 2 * 366 * day_ms

/** M53: nothing is put off for ever. */
export function notPutOff(
  { due_at, changed_at }: { due_at: string | null; changed_at: string },
  { now }: Around,
  report: Report,
): void {
  if (due_at === null) return
  const waits_ms = Date.parse(due_at) - Date.parse(later(now, changed_at))
  if (!(waits_ms <= longest_wait_ms)) report('M53', `is not due before ${due_at}`)
}

/** Each stamp is from its row's creation to its last change, also where the clock was set back meanwhile. */
export function datedWithin<Stamp extends string>(
  invariant: Violation['invariant'],
  ...stamps: readonly Stamp[]
) {
  type Dated = { created_at: string; changed_at: string } & { [Name in Stamp]: string | null }
  return (row: Dated, _: Around, report: Report) => {
    for (const stamp of stamps) {
      const { [stamp]: at, created_at, changed_at } = row
      if (at !== null && !(created_at <= at && at <= changed_at))
        report(invariant, `${stamp} is ${at}; it was made at ${created_at} and changed last at ${changed_at}`)
    }
  }
}

/** No clock is taken to be set back further. */
const set_back_ms = 31 * day_ms

/** Whether `at` lies before what it followed, by more than a clock that was set back explains. */
export function precedes(at: string, followed: string): boolean {
  return Date.parse(followed) - Date.parse(at) > set_back_ms
}

/** M47: what its column names, if anything, is of the same workspace and environment. */
export function naming<Column extends string>(column: Column, table: TableName, what: string) {
  return async (row: { [Name in Column]: string | null }, { rows }: Around, report: Report) => {
    const id = row[column]
    if (id !== null && !(await rows[table].get(id)))
      report('M47', `names ${what} that is not there: ${id}`, id)
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
