import type { Context } from '../kernel/operation.ts'
import { render } from '../kernel/render.ts'
import { type Invoice, type InvoiceRow, invoice as wire } from './invoice.ts'
import { amountDue, isPastDue } from './invoice-machine.ts'
import { paymentUrl } from './payment-link.ts'

/** The invoice as of `now`: computes what depends on the day or on its links. */
export function showInvoice(
  invoice: InvoiceRow,
  context: Pick<Context, 'now' | 'secrets' | 'public_url'>,
): Invoice {
  return render(wire, {
    ...invoice,
    past_due: isPastDue(invoice, context.now),
    amount_due: amountDue(invoice),
    payment_url: paymentUrl(invoice, context),
  })
}
