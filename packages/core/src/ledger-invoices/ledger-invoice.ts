import { z } from 'zod'
import { sum } from '../schema/money.ts'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/** That a ledger keeps an invoice, under the invoice's id. */
export const ledgerInvoiceRow = z.object({
  ...scopedRow,
  id: z.uuid(),
  /** Through which the ledger spoke last. */
  connection: z.string(),
  /** The part of what is written off on the invoice that is so because the ledger calls it paid. */
  written_off: sum,
  changed_at: timestamp,
})
