import { z } from 'zod'
import { apiKeyRow } from '../api-keys/api-key.ts'
import { auditEntryRow } from '../audit-entries/audit-entry.ts'
import { checkoutSessionRow } from '../checkout-sessions/checkout-session.ts'
import { connectionRow } from '../connections/connection.ts'
import { customerRow } from '../customers/customer.ts'
import { deliveryRow } from '../deliveries/delivery.ts'
import { eventRow } from '../events/event.ts'
import { heldNotificationRow } from '../held-notifications/held-notification.ts'
import { idempotencyKeyRow } from '../idempotency-keys/idempotency-key.ts'
import { integrationRow } from '../integrations/integration.ts'
import { invoiceRow } from '../invoices/invoice.ts'
import { ledgerInvoiceRow } from '../ledger-invoices/ledger-invoice.ts'
import { organizationRow } from '../organizations/organization.ts'
import { paymentMethodSessionRow } from '../payment-method-sessions/payment-method-session.ts'
import { paymentMethodRow } from '../payment-methods/payment-method.ts'
import { paymentRow } from '../payments/payment.ts'
import { refundRow } from '../refunds/refund.ts'
import { scopedRow } from '../schema/row.ts'
import { syncRunRow } from '../sync-runs/sync-run.ts'
import { uniqueNameRow } from '../unique-names/unique-name.ts'
import { userRow } from '../users/user.ts'
import { webhookEndpointRow } from '../webhook-endpoints/webhook-endpoint.ts'
import { workspaceRow } from '../workspaces/workspace.ts'

/** How far a processor's notifications have been read, and how far ahead the sandbox's clock was moved. */
const cursorRow = z.object({ ...scopedRow, id: z.string(), value: z.string() })

/** Where the engine keeps rows of its own, cursors and held notifications: no merchant has this workspace. */
export const engineScope = (livemode: boolean) => ({ workspace: 'engine', livemode })

/**
 * Every table: its columns (the record's schema), its unique constraints besides (workspace, livemode, id), and the columns a
 * list may be filtered by, each with a keyset index (workspace, livemode, column, id). Deliveries are also looked up by
 * endpoint and status, and some tables by what is `listed`.
 * A unique constraint holds within a scope, `global` ones everywhere; rows with a null in its columns are exempt.
 */
export const tables = {
  workspaces: { row: workspaceRow, unique: [], filters: [] },
  api_keys: { row: apiKeyRow, unique: [], global: ['hash'], filters: [] },
  customers: { row: customerRow, unique: [['reference']], filters: [] },
  payment_method_sessions: { row: paymentMethodSessionRow, unique: [], filters: [] },
  payment_methods: { row: paymentMethodRow, unique: [['session']], filters: ['customer'] },
  payments: { row: paymentRow, unique: [], filters: ['status', 'customer'] },
  refunds: { row: refundRow, unique: [['pending_of']], filters: ['payment'] },
  checkout_sessions: { row: checkoutSessionRow, unique: [], filters: [] },
  invoices: {
    row: invoiceRow,
    unique: [['external_id']],
    filters: ['number', 'customer', 'status'],
  },
  webhook_endpoints: { row: webhookEndpointRow, unique: [['slot']], filters: [] },
  events: { row: eventRow, unique: [], filters: ['type'] },
  deliveries: {
    row: deliveryRow,
    unique: [
      ['endpoint', 'emit_of'],
      ['endpoint', 'pending_of'],
    ],
    filters: ['event'],
  },
  idempotency_keys: { row: idempotencyKeyRow, unique: [], filters: [] },
  audit_entries: { row: auditEntryRow, unique: [], filters: [] },
  organizations: { row: organizationRow, unique: [], filters: [] },
  users: { row: userRow, unique: [], filters: [] },
  unique_names: { row: uniqueNameRow, unique: [], global: ['hash'], filters: [] },
  integrations: { row: integrationRow, unique: [], filters: [] },
  connections: { row: connectionRow, unique: [], filters: [] },
  sync_runs: { row: syncRunRow, unique: [['unfinished_of']], filters: ['connection'] },
  ledger_invoices: { row: ledgerInvoiceRow, unique: [], filters: [] },
  cursors: { row: cursorRow, unique: [], filters: [] },
  held_notifications: { row: heldNotificationRow, unique: [], filters: [] },
} as const satisfies Record<string, Table>

interface Table {
  row: z.ZodObject
  unique: readonly (readonly string[])[]
  global?: readonly string[]
  filters: readonly string[]
}

export type TableName = keyof typeof tables
export type Tables = { [Name in TableName]: z.output<(typeof tables)[Name]['row']> }

/** The unique constraints of a table besides (workspace, livemode, id): those within a scope, and those over all of them. */
export function uniqueConstraints(name: TableName): { columns: readonly string[]; over: 'scope' | 'all' }[] {
  const table: Table = tables[name]
  return [
    ...table.unique.map((columns) => ({ columns, over: 'scope' as const })),
    ...(table.global ?? []).map((column) => ({ columns: [column], over: 'all' as const })),
  ]
}

/** The columns of a table that are in a unique constraint besides (workspace, livemode, id). */
export function uniqueColumns(name: TableName): string[] {
  return uniqueConstraints(name).flatMap(({ columns }) => columns)
}
