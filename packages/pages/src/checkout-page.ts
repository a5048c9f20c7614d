import type { CheckoutPage } from '@quittance/core'
import { type Html, html } from './html.ts'
import { money } from './language.ts'
import { facts, payHeading, type Sheet } from './layout.ts'
import { paymentForms, type Showing } from './payment-form.ts'
import { returnAddress } from './return-address.ts'
import type { TextName, Texts } from './texts/en.ts'

/** A page whose payment is in flight neither takes another nor expires. */
export function checkoutState({ session, paying }: CheckoutPage): 'open' | 'paying' | 'complete' | 'expired' {
  if (session.status !== 'open') return session.status
  return paying === null ? 'open' : 'paying'
}

/** Where a payer sees what became of their payment. It names one in flight: should it fail, the page is open again by then. */
export function outcomeAddress(path: string, { paying }: CheckoutPage): string {
  return paying === null ? `${path}?paid` : `${path}?paid=${paying}`
}

/** The checkout page in the state of its session. `just_paid`: this payer has paid a moment ago, and is sent on. */
export function checkoutSheet(page: CheckoutPage, showing: Showing & { just_paid: boolean }): Sheet {
  const { session, workspace } = page
  const { language, just_paid } = showing
  const { texts } = language
  const { amount, currency, description, reference } = session
  const total = money(amount, currency, language)
  const title = texts.paying_to(total, workspace.name)
  const common = { merchant: workspace.name, sandbox: !session.livemode }
  const what_for = [
    [texts.description, description],
    [texts.reference, reference],
  ] as const
  const subject = facts([[texts.amount, total], ...what_for])
  switch (checkoutState(page)) {
    case 'open': {
      const refused = showing.refused ?? (page.came_to_nothing ? 'came_to_nothing' : null)
      return {
        ...common,
        title: refused === null ? title : texts.refused_title(title),
        heading: payHeading(total, language),
        subject: facts(what_for),
        ways_to_pay: paymentForms({ page, amount, currency, showing: { ...showing, refused } }),
      }
    }
    case 'paying':
      return {
        ...common,
        title: `${texts.in_flight} · ${title}`,
        heading: texts.in_flight,
        state: { tone: 'plain', icon: 'waiting', text: texts.in_flight_text },
        subject,
        action: html`<a class="button" href="${outcomeAddress(showing.path, page)}">${texts.check_again}</a>`,
      }
    case 'complete': {
      const outcome = completed(page, just_paid, texts)
      return { ...common, title: `${outcome.heading} · ${title}`, subject, ...outcome }
    }
    case 'expired':
      return {
        ...common,
        title: `${texts.expired} · ${title}`,
        heading: texts.expired,
        state: { tone: 'plain', icon: 'over', text: texts.expired_text },
        subject,
        action: wayBack(returnAddress(session.cancel_url, session.id), texts),
      }
  }
}

function completed({ session, payment_status }: CheckoutPage, just_paid: boolean, texts: Texts) {
  const [tone, heading, name] = outcomes[payment_status ?? 'succeeded']
  const text = texts[name]
  const good = tone === 'good'
  const paid_before = heading === 'paid' && !just_paid
  const onward = good ? returnAddress(session.success_url, session.id) : null
  return {
    heading: texts[heading],
    state: { tone, icon: icons[tone], text: paid_before ? texts.already_paid(text) : text },
    action: wayBack(onward, texts),
    go_to: just_paid && onward ? onward.href : null,
  }
}

const icons = { good: 'good', bad: 'bad', plain: 'over' } as const

/** What became of the payment of a complete session: a bank can return a debit days later. */
const outcomes: Record<
  NonNullable<CheckoutPage['payment_status']>,
  [tone: keyof typeof icons, heading: TextName, text: TextName]
> = {
  succeeded: ['good', 'paid', 'paid_text'],
  authorized: ['good', 'paid', 'approved_text'],
  processing: ['good', 'debit_accepted', 'debit_accepted_text'],
  failed: ['bad', 'failed', 'failed_text'],
  canceled: ['plain', 'canceled', 'canceled_text'],
  returned: ['bad', 'returned', 'returned_text'],
}

function wayBack(address: ReturnType<typeof returnAddress>, texts: Texts): Html | null {
  if (address === null) return null
  return html`<a class="button" href="${address.href}" rel="noreferrer">${texts.return_to(address.host)}</a>`
}
