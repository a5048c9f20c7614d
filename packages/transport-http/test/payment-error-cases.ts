import { ok, type Processor } from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'
import { cardsOnly, type ErrorCase } from './error-case.ts'
import { confirmedSession, newCustomer, newMethod, newPayment, newSession } from './purchases.ts'
import { fresh, openShop, type Shop } from './shop.ts'

const expired_card = { brand: 'visa', last4: '4242', exp_month: 1, exp_year: 2020, funding: 'credit' }

const charge = { amount: 500, currency: 'USD' }

const pay = (shop: Shop, body: object) =>
  shop.send('POST', '/payments', { body: { ...charge, ...body }, headers: fresh() })

const paySession = async (shop: Shop, token: string) =>
  pay(shop, { payment_method_session: (await confirmedSession(shop, { token })).id })

/** A saved method that time or an earlier release left in a state no request makes. */
async function methodWith(shop: Shop, token: string, changed: object): Promise<string> {
  const { id } = await newMethod(shop, { token, customer: await newCustomer(shop) })
  await shop.store.transaction(shop.sandbox, async ({ payment_methods }) => {
    const row = await payment_methods.get(id)
    if (!row) throw new Error('the method is gone')
    return ok(await payment_methods.update({ ...row, ...changed }))
  })
  return id
}

/** The simulated processor, refusing every debit at once: its own tokens refuse with the next batch. */
function refusingDebits(): Processor {
  return {
    ...simulatedProcessor(),
    charge: async () => ({ kind: 'declined', decline_code: 'account_blocked', message: 'The bank refused.' }),
  }
}

export const paymentErrorCases: readonly ErrorCase[] = [
  ['payments.create', 'resource_missing', (shop) => pay(shop, { payment_method: 'nobody' })],
  ['payments.create', 'card_declined', (shop) => paySession(shop, 'tok_test_declined')],
  [
    'payments.create',
    'bank_account_verification_failed',
    async () =>
      paySession(await openShop({ processors: { sandbox: refusingDebits() } }), 'btok_test_success'),
  ],
  [
    'payments.create',
    'payment_method_session_inactive',
    async (shop) => pay(shop, { payment_method_session: (await newSession(shop)).id }),
  ],
  [
    'payments.create',
    'payment_method_session_used',
    async (shop) => pay(shop, { payment_method_session: (await newMethod(shop)).session }),
  ],
  [
    'payments.create',
    'payment_method_unusable',
    async (shop) => pay(shop, { payment_method: (await newPayment(shop)).payment_method }),
  ],
  [
    'payments.create',
    'card_expired',
    async (shop) =>
      pay(shop, { payment_method: await methodWith(shop, 'tok_test_visa', { card: expired_card }) }),
  ],
  [
    'payments.create',
    'ach_authorization_required',
    async (shop) =>
      pay(shop, { payment_method: await methodWith(shop, 'btok_test_success', { terms_version: null }) }),
  ],
  [
    'payments.create',
    'ach_terms_version_unsupported',
    async (shop) =>
      pay(shop, {
        payment_method: await methodWith(shop, 'btok_test_success', { terms_version: '1999-12' }),
      }),
  ],
  [
    'payments.create',
    'payment_provider_not_configured',
    async (shop) => {
      const payment_method_session = (await confirmedSession(shop, { token: 'btok_test_success' })).id
      return cardsOnly(shop, '/payments', { body: { ...charge, payment_method_session } })
    },
  ],
  ['payments.retrieve', 'resource_missing', ({ send }) => send('GET', '/payments/x')],
]
