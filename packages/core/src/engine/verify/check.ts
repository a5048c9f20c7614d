import type { IdempotencyKeyRow } from '../../idempotency-keys/idempotency-key.ts'
import type { PaymentRow } from '../../payments/payment.ts'
import type { Reads } from '../../ports/store.ts'
import type { TableName, Tables } from '../../ports/tables.ts'
import type { Report, Violation } from './violation.ts'

/** What a rule may look at beside the row it judges. */
export interface Around {
  rows: Reads
  /** Engine time. */
  now: string
  /** What the engine's `secret` opens this to: null if it does not, undefined where nothing is to be opened. */
  opened(sealed: string): string | null | undefined
  /** The types of the events about an object, oldest first. No index finds them: see `tally.ts`. */
  announced(subject: string): PromiseLike<readonly string[]>
  /** The payments made on an invoice or a checkout page, or by a method, also without an index. */
  paymentsOn(id: string): PromiseLike<readonly PaymentRow[]>
  /** The Idempotency-Keys that name this object as their `intent`, also without an index. */
  keysOf(intent: string): PromiseLike<readonly KeyOf[]>
}

export type KeyOf = Pick<IdempotencyKeyRow, 'id' | 'operation'>

/** The lookups above; each table lists the ones its rules need. */
export type Related = (typeof lookups)[number]
const lookups = ['announced', 'paymentsOn', 'keysOf'] as const

export interface Broken extends Pick<Violation, 'invariant' | 'says'> {
  /** The record whose absence breaks it. */
  missing: string | undefined
}

/** A row that was judged. */
export interface Judged {
  id: string
  broken: Broken[]
}

/** The rules of one table, run on a page of rows or on one row. */
export interface Check {
  table: TableName
  related: readonly Related[]
  page(around: Around, request: { after: string | undefined; limit: number }): Promise<Judged[]>
  /** Undefined if the row is gone. */
  one(around: Around, id: string): Promise<Judged | undefined>
}

type Judge<Name extends TableName> = (
  row: Tables[Name],
  around: Around,
  report: Report,
) => PromiseLike<void> | void

export function check<Name extends TableName>(
  table: Name,
  related: readonly Related[],
  ...judges: readonly Judge<Name>[]
): Check {
  const unlisted = refusing(
    table,
    lookups.filter((name) => !related.includes(name)),
  )
  const judged = async (row: Tables[Name], asked: Around): Promise<Judged> => {
    const around = { ...asked, ...unlisted }
    const broken: Broken[] = []
    for (const judge of judges) {
      await judge(row, around, (invariant, says, missing) => broken.push({ invariant, says, missing }))
    }
    return { id: row.id, broken }
  }
  return {
    table,
    related,
    async page(around, { after, limit }) {
      const found = await around.rows[table].page({ where: {}, after, limit })
      const all: Judged[] = []
      for (const row of found) all.push(await judged(row, around))
      return all
    },
    async one(around, id) {
      const row = await around.rows[table].get(id)
      return row && judged(row, around)
    },
  }
}

/** For a rule that looks up what its table does not list: nothing was gathered, so it would be told that there is nothing. */
function refusing(table: TableName, unlisted: readonly Related[]): Partial<Pick<Around, Related>> {
  const refuse = (name: Related) => async () => {
    throw new Error(`The rules of ${table} ask for ${name}, and the table does not list it.`)
  }
  return Object.fromEntries(unlisted.map((name) => [name, refuse(name)]))
}
