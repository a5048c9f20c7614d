import { attemptDue, registeredEndpoint } from '../../../testing/src/builders/deliveries.ts'
import { accepted, createdMethod, openSession, pay } from '../../../testing/src/builders/requests.ts'
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

/** A history in which every kind of row is left in more than one state, and nothing waits to be tended. */
export async function sellEverything(sandbox: Sandbox): Promise<void> {
  const { engine, caller, clock } = sandbox
  await registeredEndpoint(sandbox)
  await takePayments(sandbox)
  await attemptDue(sandbox, null)
  await giveBack(sandbox)
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

async function giveBack(sandbox: Sandbox): Promise<void> {
  for (const token of ['tok_test_visa', 'tok_test_refund_pending', 'tok_test_refund_refused']) {
    const payment = accepted(await pay(sandbox, token)).id
    await refund(sandbox, { payment, amount: 400 })
  }
}
