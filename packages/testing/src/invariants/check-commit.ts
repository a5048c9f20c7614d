import type { TableName } from '@quittance/core'
import type { Change, Changed } from './book.ts'
import type { Check, Commit } from './commit.ts'
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
