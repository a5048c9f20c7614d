import type { InvoicePage } from '@quittance/core'
import { html } from './html.ts'
import { facts, notice, type Sheet } from './layout.ts'
import { day, money } from './money.ts'
import { paymentForms, type Showing } from './payment-form.ts'

/** Pending money is not asked for again; it is settled once nothing is owed any more. */
export function invoiceState({ invoice }: InvoicePage): 'payable' | 'pending' | 'paid' | 'canceled' {
  if (invoice.status !== 'open') return invoice.status
  return invoice.amount_due > 0 ? 'payable' : 'pending'
}

/** The invoice's payment page: all that is due is paid at once. */
export function invoiceSheet(page: InvoicePage, showing: Showing): Sheet {
  const { invoice, workspace } = page
  const name = invoice.number === null ? 'Invoice' : `Invoice ${invoice.number}`
  const common = {
    merchant: workspace.name,
    sandbox: !invoice.livemode,
    title: `${name} from ${workspace.name}`,
  }
  const refused = showing.refused === null ? null : notice('bad', showing.refused)
  const amounts = amountsOf(page)
  const due = money(invoice.amount_due, invoice.currency)
  switch (invoiceState(page)) {
    case 'payable': {
      const { amount_due: amount, currency } = invoice
      const forms = paymentForms({ page, amount, currency, showing })
      return { ...common, heading: `Pay ${due}`, content: [refused, amounts, forms] }
    }
    case 'pending':
      return {
        ...common,
        heading: 'Your payment is being processed',
        content: [
          refused,
          notice('plain', 'Nothing more is due while it is under way. A bank debit takes some days.'),
          amounts,
          html`<a class="button" href="${showing.path}">Check again</a>`,
        ],
      }
    case 'paid':
      return {
        ...common,
        heading: 'Paid',
        content: [refused, notice('good', 'Thank you. Nothing is due on this invoice.'), amounts],
      }
    case 'canceled':
      return {
        ...common,
        heading: 'This invoice was canceled',
        content: [refused, notice('plain', 'Nothing is due on it.'), amounts],
      }
  }
}

function amountsOf({ invoice }: InvoicePage) {
  const { total, amount_paid, amount_pending, amount_due, currency, status } = invoice
  const some = (amount: number) => (amount > 0 ? money(amount, currency) : null)
  const credit = status === 'open' ? total - amount_paid - amount_pending - amount_due : 0
  return facts([
    ['Invoice', invoice.number],
    ['Issued', day(invoice.invoice_date)],
    ['Due date', invoice.past_due ? `${day(invoice.due_date)} (past due)` : day(invoice.due_date)],
    ['Total', money(total, currency)],
    ['Paid', some(amount_paid)],
    ['Pending', some(amount_pending)],
    ['Credit', some(credit)],
    ['Due now', money(amount_due, currency)],
  ])
}
