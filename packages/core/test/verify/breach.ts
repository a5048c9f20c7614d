import { createSecrets } from '../../src/kernel/secrets.ts'
import { createIds } from '../../src/ports/ids.ts'
import type { TableName, Tables } from '../../src/ports/tables.ts'

/** What is done to a row by hand, and what it then breaks. */
export interface Breach {
  invariant: `M${number}`
  what: string
  table: TableName
  /** The row it is done to: the first of its table that equals this, or of which this holds. */
  of: object | ((row: never) => boolean)
  /** New values of its columns, or `remove`, or `copy` with other values. */
  change?: object | ((row: never) => object)
  remove?: true
  copy?: object
  /** The violation is found here, where that is not the row itself. */
  found?: TableName
  /** What is said of it, where other rules find the same invariant broken. */
  says?: string
  /** A database of ours refuses such a row by itself. */
  only?: 'memory'
}

type Change<Name extends TableName> = Partial<Tables[Name]>

/** A breach, typed by its table. */
export function breach<Name extends TableName>(
  invariant: Breach['invariant'],
  table: Name,
  what: string,
  {
    of = {},
    ...rest
  }: Omit<Breach, 'invariant' | 'table' | 'what' | 'of' | 'change' | 'copy'> & {
    of?: Change<Name> | ((row: Tables[Name]) => boolean)
    change?: Change<Name> | ((row: Tables[Name]) => Change<Name>)
    copy?: Change<Name>
  },
): Breach {
  return { invariant, table, what, of, ...rest }
}

export const nothing = 'pay_test_000000000000000000000000'
export const long_ago = '2020-01-01T00:00:00.000Z'
export const far_off = '2099-01-01T00:00:00.000Z'
export const nobody = '00000000-0000-7000-8000-000000000000'
export const sealed_elsewhere = createSecrets('a secret that the engine never had', createIds()).encrypt('{}')
