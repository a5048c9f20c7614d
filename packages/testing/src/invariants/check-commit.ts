import type { TableName } from '@quittance/core'
import type { Change } from './book.ts'
import type { Check, Commit, Moved } from './commit.ts'
import { checkDeliveryMove, checkEndpointMove, checkEventMove } from './commit-deliveries.ts'
import { checkKeyGone, checkKeyMove } from './commit-keys.ts'
import {
  checkInvoiceMove,
  checkMethodMove,
  checkPageMove,
  checkPaymentMove,
  checkRefundMove,
  checkSessionMove,
} from './commit-money.ts'
import type { Report, Violation } from './moment.ts'

/**
 * What must hold of every commit: how rows may change, what commits together, and the sums of what it touched. Its cost is
 * proportional to the rows of the commit, and it compares no times of different processes.
 */
export function checkCommit(commit: Commit, report: Report): void {
  for (const change of commit.changes) {
    checkScope(commit, change, report)
    const check = checks[change.table] as Check<TableName> | undefined
    if (change.is === undefined) checkGone(commit, change, report)
    else check?.(commit, change as Moved<TableName>, report)
  }
}

function checkGone(commit: Commit, { table, id, was }: Change, report: Report): void {
  const invariant = stays[table]
  if (invariant) report(invariant, `${id} is gone`)
  if (table === 'idempotency_keys' && was) checkKeyGone(commit, was, report)
}

/** By table, the invariant that its rows are never deleted. */
const stays: { readonly [Name in TableName]?: Violation['invariant'] } = {
  payments: 'M6',
  refunds: 'M19',
  payment_method_sessions: 'M10',
  payment_methods: 'M8',
  checkout_sessions: 'M27',
  invoices: 'M20',
  events: 'M32',
  deliveries: 'M35',
  webhook_endpoints: 'M34',
}

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
