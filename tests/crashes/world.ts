import type { SimulatedProcessor } from '@quittance/processor-simulator'
import type { RawRow, RawRows } from './home.ts'

/** Rows whose number and standing tell how far things are; the others serve them. */
const told = [
  'organizations',
  'users',
  'api_keys',
  'connections',
  'customers',
  'payment_method_sessions',
  'payment_methods',
  'payments',
  'refunds',
  'checkout_sessions',
  'invoices',
  'sync_runs',
  'webhook_endpoints',
  'events',
  'deliveries',
  'audit_entries',
] as const

/** Columns that say where a row stands; zeroes and nulls say nothing. */
const standing = ['type', 'status', 'action', 'amount_refunded', 'amount_paid', 'amount_pending', 'created']

/** Table by table, where everything stands: in words without ids and times, so that two homes can be compared. */
export type World = Readonly<Record<string, string>>

export function worldOf(rows: RawRows, { ledger }: SimulatedProcessor): World {
  const kinds = ({ state, amount }: { state: { kind: string }; amount: number }) => `${state.kind} ${amount}`
  const each: [string, string[]][] = [
    ...told.map((name): [string, string[]] => [name, (rows.get(name) ?? []).map(standingOf)]),
    ['charged', ledger.charges().map(kinds)],
    ['refunded', ledger.refunds().map(kinds)],
  ]
  return Object.fromEntries(each.filter(([, of]) => of.length > 0).map(([name, of]) => [name, counted(of)]))
}

/** A world with some of it as told; `''` where there is nothing. */
export function changed(world: World, changes: World): World {
  const all = Object.entries({ ...world, ...changes })
  return Object.fromEntries(all.filter(([, standing]) => standing !== ''))
}

function standingOf(row: RawRow): string {
  const words = standing.map((column) => row[column]).filter((value) => value != null && value !== 0)
  const gone = row.listed === 0 || row.listed === false
  return [...words, ...(gone ? ['unlisted'] : [])].join(' ')
}

/** Many alike are counted: `150`, `2 pending, succeeded`. */
function counted(each: readonly string[]): string {
  const groups = [...Map.groupBy(each, (one) => one)]
  return groups
    .map(([one, { length }]) => (length > 1 || one === '' ? `${length} ${one}`.trim() : one))
    .join(', ')
}
