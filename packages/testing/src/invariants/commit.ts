import type { Scope, TableName, Tables } from '@quittance/core'
import type { Book, Change, Changed } from './book.ts'
import { checkDeliveryMove, checkEndpointMove, checkEventMove } from './commit-deliveries.ts'
import { checkKeyMove } from './commit-keys.ts'
import {
  checkInvoiceMove,
  checkMethodMove,
  checkPageMove,
  checkPaymentMove,
  checkRefundMove,
  checkSessionMove,
} from './commit-money.ts'
import type { Report } from './moment.ts'

/** One unit of work that was committed, with the book as it is since. */
export interface Commit extends Scope {
  book: Book
  changes: readonly Change[]
  /** What the clock of the process shows that committed it. */
  now: string
  /** A clock was set before it: of two times the later one may show less. */
  clock_was_set: boolean
}

/**
 * What must hold of every commit: how rows may move, what commits together, and the sums of what it touched. It costs
 * no more than the commit has rows, and compares no times of different processes.
 */
export function checkCommit(commit: Commit, report: Report): void {
  for (const change of commit.changes) {
    checkScope(commit, change, report)
    const check = checks[change.table] as Check<TableName> | undefined
    check?.(commit, change as Changed<TableName>, report)
  }
}

/** What is checked of a change of one table's row. */
export type Check<Name extends TableName> = (commit: Commit, change: Changed<Name>, report: Report) => void

const checks: { readonly [Name in TableName]?: Check<Name> } = {
  payments: checkPaymentMove,
  refunds: checkRefundMove,
  payment_method_sessions: checkSessionMove,
  payment_methods: checkMethodMove,
  checkout_sessions: checkPageMove,
  invoices: checkInvoiceMove,
  events: checkEventMove,
  deliveries: checkDeliveryMove,
  webhook_endpoints: checkEndpointMove,
  idempotency_keys: checkKeyMove,
}

/** M47: a row is written in its own workspace and environment only. */
function checkScope({ workspace, livemode }: Commit, { is, table, id }: Change, report: Report): void {
  if (is !== undefined && (is.workspace !== workspace || is.livemode !== livemode))
    report('M47', `${table} ${id} was written from another workspace or environment`)
}

/** The rows of one table after the commit that `where` accepts. */
export function rowsWhere<Name extends TableName>(
  { book, workspace, livemode }: Commit,
  table: Name,
  where: (row: Tables[Name]) => boolean,
): Tables[Name][] {
  const found: Tables[Name][] = []
  for (const row of book.table({ workspace, livemode }, table).values()) if (where(row)) found.push(row)
  return found
}

/** One row as it is after the commit. */
export function rowAt<Name extends TableName>(
  { book, workspace, livemode }: Commit,
  table: Name,
  id: string | null,
): Tables[Name] | undefined {
  return id === null ? undefined : book.table({ workspace, livemode }, table).get(id)
}

/** The types of the events that the commit filed about an object. */
export function filedAbout({ changes }: Commit, subject: string): string[] {
  const filed: string[] = []
  for (const { table, was, is } of changes) {
    if (table === 'events' && was === undefined && is?.subject === subject) filed.push(is.type)
  }
  return filed
}
