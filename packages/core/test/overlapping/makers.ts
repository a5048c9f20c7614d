import {
  accepted,
  confirmedSession,
  createdMethod,
  freshKey,
  openSession,
  pay,
} from '../../../testing/src/builders/requests.ts'
import {
  newCustomer,
  openCheckout,
  payCheckout,
  payInvoice,
  refund,
  sentInvoice,
} from '../../../testing/src/builders/sales.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import type { Random } from '../../../testing/src/random.ts'
import type { Makers, World } from './world.ts'

const payment_tokens = [
  ...Array<string>(4).fill('tok_test_visa'),
  ...Array<string>(4).fill('btok_test_success'),
  ...Array<string>(3).fill('tok_test_refund_pending'),
  'tok_test_declined',
  'tok_test_chargeback',
  'tok_test_refund_fails',
  'tok_test_refund_refused',
  'tok_test_unknown_approved',
  'btok_test_account_closed',
  'btok_test_late_return',
]

export const makers: Makers = {
  customer: ({ sandbox }) => newCustomer(sandbox),
  open_session: async ({ sandbox }) => (await openSession(sandbox, 'tok_test_visa')).id,
  session: async (world) => (await confirmedSession(world.sandbox, world.token())).id,
  one_time: async (world) => (await createdMethod(world.sandbox, world.token())).id,
  async saved(world) {
    const customer = await world.one('customer')
    return (await createdMethod(world.sandbox, world.token(), { customer })).id
  },
  payment: makePayment,
  async refund(world) {
    const { sandbox } = world
    const payment = accepted(await pay(sandbox, 'tok_test_refund_pending')).id
    world.knows('payment', payment)
    return accepted(await refund(sandbox, { payment, amount: 400 })).id
  },
  checkout: async ({ sandbox }) => (await openCheckout(sandbox, { expires_in: 1800 })).id,
  async invoice(world) {
    const { sandbox, random } = world
    const discount = { early_payment_discount: { amount: 100, until: '2026-02-10' } }
    return (
      await sentInvoice(sandbox, {
        customer: await world.one('customer'),
        total: random.pick([1000, 1400]),
        ...(random.below(4) === 0 ? discount : {}),
      })
    ).id
  },
  async endpoint({ sandbox, random }) {
    const url = freshUrl(random)
    const { engine, caller } = sandbox
    return accepted(await engine.webhook_endpoints.create(caller, { url, enabled_events: ['*'] })).id
  },
  async event(world) {
    accepted(await pay(world.sandbox, 'tok_test_visa'))
    const { events } = await readRows(world.sandbox.store, world.sandbox.scope)
    return world.random.pick(events).id
  },
  connection: ({ sandbox }) =>
    sandbox.engine.backOffice.connect(sandbox.scope, {
      kind: 'ledger',
      base_url: 'https://ledger.example.com',
      site_id: '1',
      token: 'secret',
    }),
  async api_key({ sandbox, secrets }) {
    const { id, key } = accepted(await sandbox.engine.admin.keys.create(sandbox.scope, { type: 'secret' }))
    secrets.set(id, key)
    return id
  },
}

/** Taken by the API, on a checkout page, or for an invoice. */
async function makePayment(world: World): Promise<string> {
  const { sandbox, random } = world
  const token = random.pick(payment_tokens)
  const ways = [
    () => pay(sandbox, token),
    () => pay(sandbox, token),
    async () => payCheckout(sandbox, token, { id: (await openCheckout(sandbox)).id }),
    async () => payInvoice(sandbox, token, { invoice: await world.one('invoice'), amount: 400 }),
    () => payInvoiceBySaved(world),
  ]
  const made = await random.pick(ways)()
  if (made.isOk()) return made.value.id
  const declined = made.error.extra?.payment
  return declined ?? accepted(await pay(sandbox, 'tok_test_visa')).id
}

async function payInvoiceBySaved(world: World) {
  const { engine, caller } = world.sandbox
  const on = { payment_method: await world.one('saved'), invoice: await world.one('invoice') }
  const input = { amount: 400, currency: 'USD' as const, ...on }
  return engine.payments.create(caller, input, { idempotency_key: freshKey() })
}

export function freshUrl(random: Random): string {
  return `https://receiver.example.com/hooks/${random.below(1_000_000_000)}`
}
