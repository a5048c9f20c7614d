import type { InvoicePage } from '@quittance/core'
import { type Html, html } from './html.ts'
import { day, type Language, money } from './language.ts'
import { facts, notice, payHeading, type Sheet } from './layout.ts'
import { paymentForms, type Showing } from './payment-form.ts'

/** Pending money is not asked for again. For an invoice closed without payment, as when written off, nobody is thanked. */
function invoiceState({ invoice }: InvoicePage): 'payable' | keyof typeof states {
  if (invoice.status === 'paid' && invoice.amount_paid === 0) return 'nothing_due'
  if (invoice.status !== 'open') return invoice.status
  return invoice.amount_due > 0 ? 'payable' : 'pending'
}

/** The invoice's payment page: all that is due is paid at once, less an early-payment discount. */
export function invoiceSheet(page: InvoicePage, showing: Showing): Sheet {
  const { invoice, workspace, payable } = page
  const { language, refused } = showing
  const { texts } = language
  const { number, currency } = invoice
  const name = number === null ? texts.invoice : texts.invoice_numbered(number)
  const title = texts.invoice_from(name, workspace.name)
  const common = { merchant: workspace.name, sandbox: !invoice.livemode }
  const subject = html`${datesOf(page, language)}${amountsOf(page, language)}${savingOf(page, language)}`
  const state = invoiceState(page)
  if (state === 'payable')
    return {
      ...common,
      title: refused === null ? title : texts.refused_title(title),
      heading: payHeading(money(payable, currency, language), language),
      subject,
      ways_to_pay: paymentForms({ page, amount: payable, currency, showing }),
    }
  const [heading, text, tone, icon] = states[state]
  return {
    ...common,
    title: `${texts[heading]} · ${title}`,
    heading: texts[heading],
    state: { tone, icon, text: texts[text] },
    subject: refused === null ? subject : html`${notice('bad', texts[refused])}${subject}`,
    action:
      state === 'pending' ? html`<a class="button" href="${showing.path}">${texts.check_again}</a>` : null,
  }
}

const states = {
  pending: ['in_flight', 'invoice_pending_text', 'plain', 'waiting'],
  paid: ['paid', 'invoice_paid_text', 'good', 'good'],
  nothing_due: ['nothing_due', 'nothing_due_text', 'plain', 'over'],
  canceled: ['invoice_canceled', 'invoice_canceled_text', 'plain', 'over'],
} as const

function datesOf({ invoice }: InvoicePage, language: Language): Html {
  const { texts } = language
  const due = day(invoice.due_date, language)
  return facts([
    [texts.invoice, invoice.number],
    [texts.issued, day(invoice.invoice_date, language)],
    [texts.due_date, invoice.past_due ? html`${due} <span class="tag">${texts.past_due}</span>` : due],
  ])
}

/** What is owed and paid. The lines before "due" add up to it while the invoice is open. */
function amountsOf(page: InvoicePage, language: Language): Html {
  const { invoice, discount, written_off, payable } = page
  const { total, amount_paid, amount_pending, amount_due, currency } = invoice
  const { texts } = language
  const taken = discount?.taken ? discount.amount : 0
  const offered = amount_due - payable
  const line = (label: string, amount: number) => (amount === 0 ? null : row(label, shown(amount)))
  const shown = (amount: number) => money(amount, currency, language)
  const lines = [
    row(texts.total, shown(total)),
    line(texts.early_payment_discount, -taken),
    line(texts.written_off, -(written_off - taken)),
    line(texts.already_received, -amount_paid),
    line(texts.pending, -amount_pending),
    offered > 0 && amount_due === total ? null : row(texts.due, shown(amount_due), { sum: offered === 0 }),
    line(texts.early_payment_discount, -offered),
    offered === 0 ? null : row(texts.to_pay_today, shown(payable), { sum: true }),
  ]
  return html`<table>${lines.filter((one) => one !== null)}</table>`
}

function row(label: string, amount: string, { sum = false } = {}): Html {
  return html`<tr${sum ? html` class="sum"` : null}><th scope="row">${label}</th><td>${amount}</td></tr>`
}

function savingOf({ discount, invoice }: InvoicePage, language: Language): Html | null {
  if (discount === null || discount.taken) return null
  const saved = money(discount.amount, invoice.currency, language)
  const text = language.texts.save_by(saved, day(discount.until, language))
  return html`<p class="saving">${text}</p>`
}
