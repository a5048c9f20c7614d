import type { LedgerRefund } from '@quittance/processor-simulator'
import type { Moment } from './moment.ts'

/** A moment with what the processor gave back, and with the invoices as the API shows them, where they were asked for. */
export interface Sales extends Moment {
  refunded: readonly LedgerRefund[]
  shown_invoices?: readonly {
    id: string
    status: string
    total: number
    amount_due: number
    amount_paid: number
    amount_pending: number
    due_date: string
    past_due: boolean
    payment_url: string | null
  }[]
}
