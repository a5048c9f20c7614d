import { z } from 'zod'
import { sum } from '../schema/money.ts'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/**
 * What a ledger last said of an invoice, under the invoice's id. Where the invoice's `amount_paid` differs from
 * the ledger's, money has moved here, and the next sync leaves the amounts alone.
 */
export const ledgerInvoiceRow = z.object({
  ...scopedRow,
  id: z.uuid(),
  connection: z.string(),
  amount_paid: sum,
  changed_at: timestamp,
})
export type LedgerInvoiceRow = z.output<typeof ledgerInvoiceRow>
