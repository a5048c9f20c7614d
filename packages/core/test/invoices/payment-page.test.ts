import { describe, expect, it } from 'vitest'
import { accepted, confirmedSession } from '../../../testing/src/builders/requests.ts'
import {
  advance,
  draftedInvoice,
  payerOf,
  payInvoice,
  payInvoiceOnPage,
  refund,
  sentInvoice,
  shownInvoice,
} from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, sandboxIn, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { readRows } from '../../../testing/src/invariants/rows.ts'
import { createSecrets } from '../../src/kernel/secrets.ts'
import { createIds } from '../../src/ports/ids.ts'
import { refusal } from '../operations/refusals.ts'

const urlOf = async (sandbox: Sandbox, id: string) => (await shownInvoice(sandbox, id)).payment_url

describe('payment_url', () => {
  it('is null until the invoice was sent, and then the same for as long as it works', async () => {
    const sandbox = await openSandbox()
    const { engine, scope } = sandbox
    const id = await draftedInvoice(sandbox)
    expect(accepted(await engine.admin.invoices.schedule(scope, { id })).payment_url).toBeNull()
    const { payment_url } = accepted(await engine.admin.invoices.send(scope, { id }))
    expect(payment_url).not.toBeNull()
    await advance(sandbox, 30 * 86_400)
    expect(await urlOf(sandbox, id)).toBe(payment_url)
    expect(await urlOf(sandbox.another(), id)).toBe(payment_url)
  })

  it('is a new one for every sending, and the earlier ones keep working', async () => {
    const sandbox = await openSandbox()
    const { engine, scope } = sandbox
    const { id, payment_url: first } = await sentInvoice(sandbox)
    const { payment_url: second } = accepted(await engine.admin.invoices.send(scope, { id }))
    expect(second).not.toBe(first)
    expect(await urlOf(sandbox, id)).toBe(second)
    const secrets = createSecrets('a secret of the tests, 32 bytes or more', createIds())
    const pages = [first, second].map((url) => secrets.openPageToken('invoice', url?.split('/pay/')[1] ?? ''))
    const { links } = (await readRows(sandbox.store, scope)).invoices[0] ?? { links: [] }
    expect(pages).toEqual(links.map((link) => ({ ...scope, id: `${id}/${link.id}` })))
    expect(links.every(({ revoked_at, expires_at }) => revoked_at === null && expires_at === null)).toBe(true)
  })

  it('is null once every link is revoked, and another one after the next sending', async () => {
    const sandbox = await openSandbox()
    const { engine, scope } = sandbox
    const { id, payment_url } = await sentInvoice(sandbox)
    expect(accepted(await engine.admin.invoices.revokeLinks(scope, { id })).payment_url).toBeNull()
    const again = accepted(await engine.admin.invoices.send(scope, { id })).payment_url
    expect(again).not.toBeNull()
    expect(again).not.toBe(payment_url)
  })

  it('is null from the instant its link expires, and shows an older link that still works', async () => {
    const sandbox = await openSandbox()
    const { engine, scope, clock } = sandbox
    const { id } = await sentInvoice(sandbox, { link_days: 1 })
    clock.advance(86_400_000 - 1)
    expect(await urlOf(sandbox, id)).not.toBeNull()
    clock.advance(1)
    expect(await urlOf(sandbox, id)).toBeNull()
    const lasting = accepted(await engine.admin.invoices.send(scope, { id })).payment_url
    accepted(await engine.admin.invoices.send(scope, { id, link_days: 1 }))
    clock.advance(86_400_000)
    expect(await urlOf(sandbox, id)).toBe(lasting)
  })

  it('is null while nothing is left to pay because a charge is pending, and comes back if it fails', async () => {
    const sandbox = await openSandbox()
    const { id, payment_url } = await sentInvoice(sandbox)
    accepted(await payInvoice(sandbox, 'btok_test_refused', { invoice: id, amount: 1000 }))
    expect(await urlOf(sandbox, id)).toBeNull()
    await advance(sandbox, 60)
    expect(await urlOf(sandbox, id)).toBe(payment_url)
  })

  it('is null once the invoice is settled, and back when its payment comes back', async () => {
    const sandbox = await openSandbox()
    const { engine, scope } = sandbox
    const { id, payment_url } = await sentInvoice(sandbox)
    accepted(await payInvoice(sandbox, 'tok_test_chargeback', { invoice: id, amount: 1000 }))
    expect(await urlOf(sandbox, id)).toBeNull()
    await advance(sandbox, 3 * 86_400)
    expect(await urlOf(sandbox, id)).toBe(payment_url)
    expect(accepted(await engine.admin.invoices.cancel(scope, { id })).payment_url).toBeNull()
  })
})

/** What nobody outside may see of money taken on an invoice's page. */
async function expectNoTrace(sandbox: Sandbox) {
  const { engine, caller, store, scope } = sandbox
  expect(accepted(await engine.payments.list(caller, {})).data).toEqual([])
  expect(accepted(await engine.events.list(caller, {})).data).toEqual([])
  const { payments } = await readRows(store, scope)
  for (const { id } of payments) {
    expect(refusal(await engine.payments.retrieve(caller, { id }))).toEqual({ code: 'resource_missing' })
    expect(refusal(await refund(sandbox, { payment: id })).code).toBe('resource_missing')
  }
  return payments
}

describe("an invoice's hosted page", () => {
  it('takes all that is due, without a payment of the API or an event', async () => {
    const sandbox = await openSandbox()
    const { id } = await sentInvoice(sandbox)
    const paid = accepted(await payInvoiceOnPage(sandbox, 'tok_test_visa', { invoice: id, amount: 1000 }))
    expect(paid).toEqual({ status: 'succeeded', amount: 1000 })
    expect(await shownInvoice(sandbox, id)).toMatchObject({
      status: 'paid',
      amount_paid: 1000,
      amount_due: 0,
    })
    expect(await expectNoTrace(sandbox)).toHaveLength(1)
    expect(sandbox.processor.ledger.totals().USD?.captured).toBe(1000)
  })

  it.each([
    ['btok_test_success', 'paid', 1000, 0],
    ['btok_test_account_closed', 'open', 0, 1000],
    ['tok_test_unknown_approved', 'paid', 1000, 0],
    ['tok_test_unknown_declined', 'open', 0, 1000],
  ])('with %s has the money pending, and the invoice %s in the end', async (token, status, paid, due) => {
    const sandbox = await openSandbox()
    const { id } = await sentInvoice(sandbox)
    const taken = accepted(await payInvoiceOnPage(sandbox, token, { invoice: id, amount: 1000 }))
    expect(taken).toEqual({ status: 'processing', amount: 1000 })
    expect(await shownInvoice(sandbox, id)).toMatchObject({
      status: 'open',
      amount_pending: 1000,
      amount_due: 0,
      payment_url: null,
    })
    await advance(sandbox, 60)
    expect(await shownInvoice(sandbox, id)).toMatchObject({
      status,
      amount_paid: paid,
      amount_pending: 0,
      amount_due: due,
    })
    await expectNoTrace(sandbox)
  })

  it.each(['tok_test_declined', 'tok_test_unreachable'])(
    'tells of a decline (%s) without the id of a payment',
    async (token) => {
      const sandbox = await openSandbox()
      const { id } = await sentInvoice(sandbox)
      const declined = await payInvoiceOnPage(sandbox, token, { invoice: id, amount: 1000 })
      const error = declined._unsafeUnwrapErr()
      expect(error.code).toBe('card_declined')
      expect(error.extra).toEqual({ decline_code: expect.any(String) })
      expect(await shownInvoice(sandbox, id)).toMatchObject({ status: 'open', amount_due: 1000 })
      await expectNoTrace(sandbox)
    },
  )

  it('is shown again where the payer agreed to another amount than is due by now', async () => {
    const sandbox = await openSandbox()
    const { id } = await sentInvoice(sandbox)
    accepted(await payInvoice(sandbox, 'tok_test_visa', { invoice: id, amount: 400 }))
    const stale = await payInvoiceOnPage(sandbox, 'tok_test_visa', { invoice: id, amount: 1000 })
    expect(refusal(stale)).toEqual({ code: 'conflict' })
    accepted(await payInvoiceOnPage(sandbox, 'tok_test_visa', { invoice: id, amount: 600 }))
    expect((await shownInvoice(sandbox, id)).status).toBe('paid')
  })

  it('is of no use for a draft, an unknown invoice, an unknown session, and a caller that is no page', async () => {
    const sandbox = await openSandbox()
    const { engine } = sandbox
    const draft = await draftedInvoice(sandbox)
    for (const invoice of [draft, 'none']) {
      const asked = await payInvoiceOnPage(sandbox, 'tok_test_visa', { invoice, amount: 1000 })
      expect(refusal(asked)).toEqual({ code: 'resource_missing' })
    }
    const { id } = await sentInvoice(sandbox)
    const unknown = { id, payment_method_session: 'pms_test_none', amount: 1000 }
    expect(refusal(await engine.invoices.pay(payerOf(sandbox), unknown))).toEqual({
      code: 'resource_missing',
      param: 'payment_method_session',
    })
    const session = await confirmedSession(sandbox, 'tok_test_visa')
    const input = { id, payment_method_session: session.id, amount: 1000 }
    expect(refusal(await engine.invoices.pay(sandbox.caller, input))).toEqual({ code: 'insufficient_scope' })
    const live = await sandboxIn(sandbox, { ...sandbox.scope, livemode: true })
    expect(refusal(await engine.invoices.pay(payerOf(live), input))).toEqual({ code: 'resource_missing' })
    const none = sandbox.another({ processors: {} })
    expect(refusal(await none.engine.invoices.pay(payerOf(sandbox), input)).code).toBe(
      'payment_provider_not_configured',
    )
  })

  it('charges once when its answer is lost and the payer asks again with the same key', async () => {
    const sandbox = await openSandbox()
    const { id } = await sentInvoice(sandbox)
    const session = await confirmedSession(sandbox, 'tok_test_visa')
    const input = { id, payment_method_session: session.id, amount: 1000 }
    const lost = sandbox.another(
      withProcessor(sandbox, {
        ...sandbox.processor,
        async charge(request) {
          await sandbox.processor.charge(request)
          throw new Error('connection reset')
        },
      }),
    )
    const pay = ({ engine }: Sandbox) =>
      engine.invoices.pay(payerOf(sandbox), input, { idempotency_key: 'page' })
    expect(accepted(await pay(lost))).toEqual({ status: 'processing', amount: 1000 })
    expect(accepted(await pay(sandbox))).toEqual({ status: 'processing', amount: 1000 })
    await advance(sandbox, 60)
    expect((await shownInvoice(sandbox, id)).status).toBe('paid')
    expect(sandbox.processor.ledger.charges()).toHaveLength(1)
  })
})
