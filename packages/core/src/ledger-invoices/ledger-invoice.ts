import { z } from 'zod'
import { sum } from '../schema/money.ts'
import { scopedRow } from '../schema/row.ts'
import { timestamp } from '../schema/timestamps.ts'

/** Marks an invoice as kept by a ledger. Its id is the invoice's. */
export const ledgerInvoiceRow = z.object({
  ...scopedRow,
  id: z.uuid(),
  /** The connection that the last sync of this invoice came through. */
  connection: z.string(),
  /** The part of the invoice's `written_off` that stems from the ledger calling it paid. */
  written_off: sum,
  /** The JSON of what the ledger said while money was pending: it holds once none is. */
  said: z.string().nullable(),
  changed_at: timestamp,
})
export type LedgerInvoiceRow = z.output<typeof ledgerInvoiceRow>
