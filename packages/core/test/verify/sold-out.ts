import { attemptDue, registeredEndpoint } from '../../../testing/src/builders/deliveries.ts'
import {
  accepted,
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
  payInvoiceOnPage,
  refund,
  sentInvoice,
} from '../../../testing/src/builders/sales.ts'
import type { Sandbox } from '../../../testing/src/builders/sandbox.ts'

/** A history in which every kind of row is left in more than one state, and nothing is due. */
export async function sellEverything(sandbox: Sandbox): Promise<void> {
  const { engine, caller, clock } = sandbox
  await returnLate(sandbox)
  await registeredEndpoint(sandbox)
  await takePayments(sandbox)
  await attemptDue(sandbox, null)
  await giveBack(sandbox)
  await sellOnPages(sandbox)
  await forgive(sandbox)
  await attemptDue(sandbox, null)
  const [page] = [await openCheckout(sandbox), await openCheckout(sandbox)]
  accepted(await payCheckout(sandbox, 'tok_test_visa', page))
  await payCheckout(sandbox, 'tok_test_unknown_forever', await openCheckout(sandbox))
  const { id } = await openCheckout(sandbox)
  accepted(await engine.checkout_sessions.expire(caller, { id }))
  clock.advance(61_000)
  await engine.reconcile()
  await attemptDue(sandbox, null)
  const second = await registeredEndpoint(sandbox)
  accepted(await pay(sandbox, 'btok_test_never_settles'))
  await attemptDue(sandbox, 'http 503')
  accepted(await pay(sandbox, 'tok_test_amex'))
  accepted(await engine.webhook_endpoints.delete(caller, { id: second.id }))
  await sellAgain(sandbox)
}

async function takePayments(sandbox: Sandbox): Promise<void> {
  const { engine, caller } = sandbox
  const tokens = [
    'btok_test_success',
    'btok_test_account_closed',
    'tok_test_declined',
    'tok_test_unreachable',
  ]
  for (const token of ['tok_test_visa', 'tok_test_unknown_approved', ...tokens]) await pay(sandbox, token)
  const customer = await newCustomer(sandbox)
  await createdMethod(sandbox, 'tok_test_mastercard', { customer })
  await createdMethod(sandbox, 'tok_test_visa')
  const { id } = await openSession(sandbox, 'tok_test_visa')
  accepted(await engine.payment_method_sessions.cancel(caller, { id }))
  const paid = await sentInvoice(sandbox)
  await payInvoiceOnPage(sandbox, 'tok_test_visa', { invoice: paid.id, amount: 1000 })
  const partly = await sentInvoice(sandbox)
  await payInvoice(sandbox, 'tok_test_visa', { invoice: partly.id, amount: 400 })
  await payInvoice(sandbox, 'tok_test_unknown_forever', { invoice: partly.id, amount: 100 })
}

/** Money that settled and came back two days later, once from an invoice's page. First of all, because days pass. */
async function returnLate(sandbox: Sandbox): Promise<void> {
  const invoice = (await discounted(sandbox)).id
  await payInvoiceOnPage(sandbox, 'btok_test_late_return', { invoice, amount: 900 })
  accepted(await pay(sandbox, 'btok_test_late_return'))
  for (const seconds of [61, 2 * 86_400]) {
    sandbox.clock.advance(seconds * 1000)
    await sandbox.engine.reconcile()
  }
}

/** A hosted page is opened and paid under keys, as its form does it. */
async function sellOnPages(sandbox: Sandbox): Promise<void> {
  const { engine, caller } = sandbox
  const urls = { success_url: 'https://shop.example.com/thanks', cancel_url: 'https://shop.example.com/cart' }
  const input = { amount: 1000, currency: 'USD' as const, ...urls }
  const key = () => ({ idempotency_key: freshKey() })
  accepted(await engine.checkout_sessions.create(caller, input, key()))
  const { url } = accepted(await engine.checkout_sessions.create(caller, input, key()))
  const page = await engine.pages.checkout(url?.split('/checkout/')[1] ?? '')
  if (page === null) throw new Error('the page is not there')
  const billing_details = { name: 'Ada Lovelace', postal_code: '94107' }
  const form = { type: 'card' as const, token: 'tok_test_visa', billing_details, amount: 1000, ...key() }
  accepted(await engine.pages.pay(page, { ...form, ip_address: null, user_agent: null }))
  accepted(await engine.payment_method_sessions.create(caller, {}, key()))
  const invoice = (await discounted(sandbox)).id
  accepted(await payInvoiceOnPage(sandbox, 'tok_test_visa', { invoice, amount: 900 }))
}

/** Money that is not asked for after all: a part of an invoice, and a debit. */
async function forgive(sandbox: Sandbox): Promise<void> {
  const { engine, scope } = sandbox
  const { id } = await sentInvoice(sandbox)
  accepted(await engine.admin.invoices.writeOff(scope, { id, amount: 100 }))
  accepted(await payInvoice(sandbox, 'tok_test_visa', { invoice: id, amount: 900 }))
  const debit = accepted(await pay(sandbox, 'btok_test_success'))
  accepted(await engine.admin.payments.void(scope, { id: debit.id }))
}

/** What looks like a mistake and is none: two charges of a saved card, all of a payment given back, an event sent again. */
async function sellAgain(sandbox: Sandbox): Promise<void> {
  const { engine, caller, scope } = sandbox
  const customer = await newCustomer(sandbox)
  const { id: payment_method } = await createdMethod(sandbox, 'tok_test_visa', { customer })
  const charge = { amount: 1000, currency: 'USD' as const, payment_method }
  for (const idempotency_key of [freshKey(), freshKey()]) {
    const payment = accepted(await engine.payments.create(caller, charge, { idempotency_key })).id
    accepted(await refund(sandbox, { payment }))
  }
  const invoice = (await sentInvoice(sandbox)).id
  const payment = accepted(await payInvoice(sandbox, 'tok_test_visa', { invoice, amount: 400 })).id
  accepted(await refund(sandbox, { payment, amount: 100 }))
  accepted(await engine.admin.invoices.cancel(scope, { id: (await sentInvoice(sandbox)).id }))
  const [event] = accepted(await engine.events.list(caller, { type: 'refund.failed' })).data
  const [endpoint] = accepted(await engine.webhook_endpoints.list(caller, {})).data
  accepted(await engine.events.resend(caller, { id: event?.id ?? '', endpoint: endpoint?.id ?? '' }))
}

function discounted(sandbox: Sandbox) {
  return sentInvoice(sandbox, { early_payment_discount: { amount: 100, until: '2026-02-20' } })
}

async function giveBack(sandbox: Sandbox): Promise<void> {
  for (const token of ['tok_test_visa', 'tok_test_refund_pending', 'tok_test_refund_refused']) {
    const payment = accepted(await pay(sandbox, token)).id
    await refund(sandbox, { payment, amount: 400 })
  }
}
