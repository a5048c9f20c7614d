import type { Scope } from '../../ports/store.ts'
import type { TableName } from '../../ports/tables.ts'

/** A row that breaks an invariant. */
export interface Violation extends Scope {
  /** Its number in the list of docs/verifying.md. */
  invariant: `M${number}`
  table: TableName
  id: string
  /** In plain words. */
  says: string
}

/**
 * Says that the row under judgement breaks an invariant. Of the rows of a table that name the same `missing` record, only
 * the first is reported.
 */
export type Report = (invariant: Violation['invariant'], says: string, missing?: string) => void
