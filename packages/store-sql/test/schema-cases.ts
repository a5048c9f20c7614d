import { type Store, type TableName, tables } from '@quittance/core'
import { columnsOf, tableNames } from '@quittance/store-sql'
import { expect } from 'vitest'
import { claimRequest } from '../../testing/src/store/claiming.ts'
import { commit, find, here, writing } from '../../testing/src/store/opened.ts'
import { sampleRow } from '../../testing/src/store/sample-row.ts'

export interface Column {
  name: string
  nullable: boolean
}

/** The columns of a table as the database tells them must be the fields of its record. */
export function expectFields(table: TableName, columns: readonly Column[]): void {
  const fields = columnsOf(table).map(({ name, nullable }) => ({ name, nullable }))
  expect(columns.toSorted(byName)).toEqual(fields.sort(byName))
}

function byName(one: Column, other: Column): number {
  return one.name < other.name ? -1 : 1
}

interface PageCase {
  name: TableName
  where: Record<string, unknown>
  /** The columns of `where` that are parameters of the statement; the others are written out in it. */
  bound: string[]
}

/** Every page that is asked for: of all rows of a scope, by each filter, and of what a disabled endpoint leaves. */
export const pages: PageCase[] = [
  ...tableNames.map((name) => ({ name, where: {}, bound: [] })),
  ...tableNames.flatMap((name) =>
    tables[name].filters.map((column) => {
      const listed = columnsOf(name).some((other) => other.name === 'listed')
      return { name, where: { [column]: 'x', ...(listed ? { listed: true } : {}) }, bound: [column] }
    }),
  ),
  { name: 'deliveries', where: { endpoint: 'x', status: 'pending' }, bound: ['endpoint'] },
]

export const impossible = [
  { name: 'payments', columns: { amount: 0 } },
  { name: 'payments', columns: { amount_refunded: -1 } },
  { name: 'payments', columns: { amount: 1.5 } },
  { name: 'payments', columns: { status: 'unheard_of' } },
  { name: 'payments', columns: { metadata: undefined } },
  { name: 'deliveries', columns: { status: 'unheard_of' } },
  { name: 'payment_methods', columns: { status: 'unheard_of' } },
  { name: 'payment_method_sessions', columns: { amount: -5 } },
  { name: 'webhook_endpoints', columns: { status: 'unheard_of' } },
  { name: 'customers', columns: { name: null } },
] as const

export async function expectRefused(
  store: Store,
  { name, columns }: { name: TableName; columns: object },
): Promise<void> {
  const row = { ...sampleRow(name, here, 'row'), ...columns }
  for (const write of ['insert', 'insertNew'] as const) {
    const writes = commit(store, here, async (tx) => void (await writing(tx, name)[write](row)))
    await expect(writes).rejects.toThrow()
  }
  expect(await find(store, here, name, 'row')).toBeUndefined()
}

/** What is asked of a database that has no tables must say what to do about it. */
export async function expectMigrationAsked(store: Store): Promise<void> {
  const row = sampleRow('customers', here, 'row')
  const asks = [
    () => commit(store, here, async (tx) => void (await tx.customers.insert(row))),
    () => find(store, here, 'customers', 'row'),
    () => store.findApiKey('hash'),
    () => store.nextDue(null),
    () => store.claimDeliveries(claimRequest),
  ]
  for (const ask of asks)
    await expect((async () => ask())()).rejects.toThrow(
      /^The database lacks a table \(.+\): migrate it first\.$/,
    )
}
