import type { CheckoutPage } from '@quittance/core'
import { type Html, html } from './html.ts'
import { facts, notice, type Sheet } from './layout.ts'
import { money } from './money.ts'
import { paymentForms, type Showing } from './payment-form.ts'
import { returnAddress } from './return-address.ts'

/** A page whose payment is in flight neither takes another nor expires. */
export function checkoutState({ session, paying }: CheckoutPage): 'open' | 'paying' | 'complete' | 'expired' {
  if (session.status !== 'open') return session.status
  return paying ? 'paying' : 'open'
}

/** The checkout page in the state the session is in. `just_paid`: this payer has paid a moment ago, and goes on. */
export function checkoutSheet(page: CheckoutPage, showing: Showing & { just_paid: boolean }): Sheet {
  const { session, workspace } = page
  const total = money(session.amount, session.currency)
  const common = {
    merchant: workspace.name,
    sandbox: !session.livemode,
    title: `${total} to ${workspace.name}`,
  }
  const terms = facts([
    ['Amount', total],
    ['For', session.description],
    ['Reference', session.reference],
  ])
  switch (checkoutState(page)) {
    case 'open': {
      const refused = showing.refused ?? (showing.just_paid ? came_to_nothing : null)
      return {
        ...common,
        heading: `Pay ${total}`,
        content: [
          refused === null ? null : notice('bad', refused),
          terms,
          paymentForms({ page, amount: session.amount, currency: session.currency, showing }),
        ],
      }
    }
    case 'paying':
      return {
        ...common,
        heading: 'Your payment is being processed',
        content: [
          notice('plain', 'We are waiting to hear what became of it. You need not pay again.'),
          terms,
          html`<a class="button" href="${`${showing.path}?paid`}">Check again</a>`,
        ],
      }
    case 'complete':
      return { ...common, ...completed(page, showing.just_paid, terms) }
    case 'expired':
      return {
        ...common,
        heading: 'This page has expired',
        content: [notice('plain', 'Nothing was charged.'), terms, wayBack(session.cancel_url, session.id)],
      }
  }
}

/** Of a payment that was in flight when the payer was sent here. */
const came_to_nothing = 'The payment did not go through. Nothing was charged. Please try again.'

function completed({ session, payment_status }: CheckoutPage, just_paid: boolean, terms: Html) {
  const [kind, heading, text] = outcomes[payment_status ?? 'succeeded']
  const onward = kind === 'good' ? returnAddress(session.success_url, session.id) : null
  const said = just_paid || kind !== 'good' ? text : `This has already been paid. ${text}`
  return {
    heading,
    content: [notice(kind, said), terms, kind === 'good' ? wayBack(session.success_url, session.id) : null],
    go_to: just_paid && onward ? onward.href : null,
  }
}

/** What the payment of a complete session has come to: a bank can take a debit back days later. */
const outcomes = {
  succeeded: ['good', 'Paid', 'Thank you. Your payment was received.'],
  authorized: ['good', 'Paid', 'Thank you. Your payment was approved.'],
  processing: [
    'good',
    'Bank debit accepted',
    'Thank you. The money leaves your bank account in the next days; you need not pay again.',
  ],
  failed: ['bad', 'The payment failed', 'Your bank refused the debit. Please contact the merchant.'],
  canceled: ['plain', 'The payment was canceled', 'Nothing was charged. Please contact the merchant.'],
  returned: ['bad', 'The payment came back', 'Your bank took the payment back. Please contact the merchant.'],
} as const

function wayBack(stored: string, session_id: string): Html | null {
  const address = returnAddress(stored, session_id)
  if (address === null) return null
  return html`<a class="button" href="${address.href}" rel="noreferrer">Return to ${address.host}</a>`
}
