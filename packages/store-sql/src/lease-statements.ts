import { sql } from 'kysely'
import { compiled, type Dialect, type Statement, toRow } from './dialect.ts'

/** What it takes to lease the deliveries that a unit of work files, in this order. */
export interface LeaseStatements {
  readonly lock: Statement | null
  readonly list: Dialect['leaseList']
  /** Parameters: workspace, real_at. One row, `live`: how many live leases the workspace has. */
  readonly count: Statement
  /** Parameters: lease_until, workspace, livemode, id. */
  readonly lease: Statement
}

export function leaseStatements({ kysely, table, locks, leaseList: list }: Dialect): LeaseStatements {
  const deliveries = table('deliveries')
  const live = kysely
    .selectFrom(deliveries)
    .select((of) => of.fn.countAll().as('live'))
    .where('workspace', '=', '')
    .where('status', '=', sql.lit('pending'))
    .where('lease_until', 'is not', null)
    .where('lease_until', '>', '')
  const leasing = kysely
    .updateTable(deliveries)
    .set((of) => ({ lease_until: '', lease: of('lease', '+', sql.lit(1)) }))
  const [count, lease] = [list?.count ?? compiled(live), compiled(toRow(leasing))]
  return { lock: locks?.leases ?? null, list, count, lease }
}
