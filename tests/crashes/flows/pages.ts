import { isBankToken } from '../../../packages/testing/src/builders/requests.ts'
import { openCheckout, sentInvoice } from '../../../packages/testing/src/builders/sales.ts'
import type { EngineProcess } from '../engine-process.ts'
import { ask, done, type Flow, type Reply, replyOf } from '../flow.ts'
import type { World } from '../world.ts'

/** The payer's form is collected from, confirmed and then paid with: after each of these the page waits for the payer. */
const collected: readonly World[] = [
  { payment_method_sessions: 'requires_payment_method' },
  { payment_method_sessions: 'succeeded' },
]

export const pages: readonly Flow[] = [
  payCheckout('tok_test_visa', 'takes a card on the checkout page'),
  payCheckout('btok_test_success', 'takes a bank account on the checkout page'),
  payInvoice(),
  {
    sentence: 'expires a checkout session for the merchant',
    answer: '200 expired',
    keyed: true,
    async prepare(sandbox) {
      return { session: (await openCheckout(sandbox)).id }
    },
    run: (process, { session }) =>
      ask(process, 'checkout_sessions.expire', { input: { id: session }, key: 'expire' }),
  },
  {
    sentence: 'closes a checkout session whose time is over',
    answer: 'done',
    keyed: false,
    async prepare(sandbox) {
      await openCheckout(sandbox, { expires_in: 1800 })
      sandbox.clock.advance(1_800_000)
      return {}
    },
    async run({ engine }) {
      await engine.reconcile()
      return done
    },
  },
]

function payCheckout(card: string, sentence: string): Flow<'token'> {
  const type = isBankToken(card) ? 'us_bank_account' : 'card'
  return {
    sentence,
    answer: 'done',
    keyed: true,
    async prepare(sandbox) {
      return { token: tokenIn((await openCheckout(sandbox)).url) }
    },
    run: (process, { token }) => payOnPage(process, 'checkout', token, card),
    halfway: collected,
    ends: [
      {
        answer: 'card_declined',
        world: {
          payment_methods: `${type} active`,
          payments: 'failed',
          checkout_sessions: 'open',
          events: 'payment.failed',
          deliveries: 'pending',
          charged: '',
        },
      },
    ],
  }
}

function payInvoice(): Flow<'token'> {
  return {
    sentence: "takes a card on an invoice's page",
    answer: 'done',
    keyed: true,
    async prepare(sandbox) {
      return { token: tokenIn((await sentInvoice(sandbox)).payment_url) }
    },
    run: (process, { token }) => payOnPage(process, 'invoice', token),
    halfway: collected,
    ends: [
      {
        answer: 'card_declined',
        world: {
          payment_methods: 'card active',
          payments: 'failed unlisted',
          invoices: 'open',
          charged: '',
        },
      },
    ],
  }
}

/** Submits the form that the payer was shown; a form that is submitted again has the same key. */
async function payOnPage(
  { engine }: EngineProcess,
  kind: 'checkout' | 'invoice',
  token: string,
  card = 'tok_test_visa',
): Promise<Reply> {
  const page = await engine.pages[kind](token)
  if (page === null || page === 'revoked') throw new Error(`there is no page: ${page}`)
  const bank = isBankToken(card)
  const paid = await engine.pages.pay(page, {
    type: bank ? 'us_bank_account' : 'card',
    token: card,
    billing_details: { name: 'Ada Lovelace', postal_code: '94107' },
    ...(bank ? { ach_authorization: { accepted: true, terms_version: '2026-01' } } : {}),
    amount: 1000,
    idempotency_key: 'form',
    ip_address: null,
    user_agent: null,
  })
  return replyOf(paid)
}

function tokenIn(url: string | null): string {
  return url?.split('/').at(-1) ?? ''
}
