import type { Scope, TableName, Tables } from '@quittance/core'
import type { Book, Change, Changed } from './book.ts'
import type { Report } from './moment.ts'

/** One unit of work that was committed, with the book after it. */
export interface Commit extends Scope {
  book: Book
  changes: readonly Change[]
  /** The time by the clock of the process that committed it. */
  now: string
  /** Whether a clock was set before it: then times say nothing about order. */
  clock_was_set: boolean
}

/** A row that was written and not deleted. */
export type Moved<Name extends TableName> = Changed<Name> & { is: Tables[Name] }

/** A check of one table's rows as they are written. */
export type Check<Name extends TableName> = (commit: Commit, change: Moved<Name>, report: Report) => void

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
