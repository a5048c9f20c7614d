import { describe, expect, it } from 'vitest'
import { shownInvoice } from '../../testing/src/builders/sales.ts'
import { filledIn, hasForm, newInvoice, openTill, payAt, submit, visit } from './till.ts'

describe('the page of a payable invoice', () => {
  it('shows its number, its dates, and what is owed', async () => {
    const till = await openTill()
    const { url } = await newInvoice(till)
    const page = await visit(url)
    expect(page.status).toBe(200)
    const parts = [
      'Acme',
      'Invoice INV-7',
      'Due date February 14, 2026',
      'Total $12.50 USD',
      'Pay $12.50 USD',
    ]
    for (const part of parts) expect(page.text).toContain(part)
    expect(page.text).not.toContain('Past due')
    till.clock.advance(20 * 86_400_000)
    expect((await visit(url)).text).toContain('February 14, 2026 Past due')
  })

  it('takes all that is due, and nothing of what was written off', async () => {
    const till = await openTill()
    const { id, url } = await newInvoice(till)
    await till.engine.admin.invoices.writeOff(till.scope, { id, amount: 250 })
    const page = await visit(url)
    expect(page.text).toContain('Written off −$2.50 USD Due now $10.00 USD')
    expect((await submit(url, filledIn(page, 'tok_test_visa'))).status).toBe(303)
    expect(await shownInvoice(till, id)).toMatchObject({ status: 'paid', amount_paid: 1000, amount_due: 0 })
    const settled = await visit(url)
    expect(settled.text).toContain('Paid Thank you. Nothing is due on this invoice.')
    expect([settled.status, hasForm(settled)]).toEqual([200, false])
  })

  it('thanks nobody where all of it was written off', async () => {
    const till = await openTill()
    const { id, url } = await newInvoice(till)
    await till.engine.admin.invoices.writeOff(till.scope, { id })
    const page = await visit(url)
    expect(page.text).toContain('Nothing is due You do not need to pay this invoice.')
    expect(page.text).not.toMatch(/Thank you|Paid/)
  })

  it('asks for a card only where the currency is no US dollar', async () => {
    const till = await openTill()
    const { url } = await newInvoice(till, { currency: 'CAD' })
    const page = await visit(url)
    expect(page.text).toContain('Pay $12.50 CAD')
    expect(page.text).not.toContain('bank account token')
  })

  it('lets the payer try again after a declined card', async () => {
    const till = await openTill()
    const { id, url } = await newInvoice(till)
    const declined = await payAt(url, 'tok_test_declined')
    expect([declined.status, hasForm(declined)]).toEqual([402, true])
    expect(declined.text).toContain('Your card was declined.')
    expect(await shownInvoice(till, id)).toMatchObject({
      status: 'open',
      amount_pending: 0,
      amount_due: 1250,
    })
    await submit(url, filledIn(declined, 'tok_test_visa'))
    expect((await shownInvoice(till, id)).status).toBe('paid')
  })

  it('charges nothing where another amount is due by now, and shows the page again with a notice', async () => {
    const till = await openTill()
    const { id, url } = await newInvoice(till)
    const before = await visit(url)
    await till.engine.admin.invoices.writeOff(till.scope, { id, amount: 250 })
    const sent = await submit(url, filledIn(before, 'tok_test_visa'))
    expect(sent.status).toBe(409)
    expect(sent.text).toContain('The amount has changed since this page was opened.')
    expect(sent.text).toContain('Pay $10.00 USD')
    expect(till.processor.ledger.charges()).toEqual([])
    await submit(url, filledIn(sent, 'tok_test_visa'))
    expect(till.processor.ledger.charges()).toMatchObject([{ amount: 1000 }])
  })

  it.each([
    ['tok_test_visa', 'Paid'],
    ['btok_test_success', 'Your payment is being processed'],
  ])('takes an early-payment discount off what %s pays, and not a day late', async (token, heading) => {
    const till = await openTill()
    const discounted = { early_payment_discount: { amount: 50, until: '2026-02-01' } }
    const [early, late] = [await newInvoice(till, discounted), await newInvoice(till, discounted)]
    const page = await visit(early.url)
    for (const part of [
      'Pay $12.00 USD',
      'Total $12.50 USD Early-payment discount −$0.50 USD To pay today $12.00 USD',
    ])
      expect(page.text).toContain(part)
    expect(page.text).toContain('debit this bank account electronically once for USD 12.00')
    await submit(early.url, filledIn(page, token))
    expect(till.processor.ledger.charges()).toMatchObject([{ amount: 1200 }])
    const after = (await visit(early.url)).text
    expect(after).toContain(heading)
    expect(after).toMatch(
      /Total \$12.50 USD Early-payment discount −\$0.50 USD \w+ −\$12.00 USD Due now \$0.00/,
    )
    expect(after).not.toContain('You save')
    const before = await visit(late.url)
    till.clock.advance(2 * 86_400_000)
    const sent = await submit(late.url, filledIn(before, token))
    expect(sent.status).toBe(409)
    expect(sent.text).toContain('The amount has changed')
    expect(sent.text).toContain('Pay $12.50 USD')
    expect(sent.text).not.toContain('discount')
    expect(till.processor.ledger.charges()).toHaveLength(1)
  })

  it('is paid once by two tabs', async () => {
    const till = await openTill()
    const { id, url } = await newInvoice(till)
    const tabs = [await visit(url), await visit(url)]
    await Promise.all(tabs.map((tab) => submit(url, filledIn(tab, 'tok_test_visa'))))
    expect(till.processor.ledger.charges()).toHaveLength(1)
    expect(await shownInvoice(till, id)).toMatchObject({ status: 'paid', amount_paid: 1250 })
  })
})

describe('the page of an invoice with a bank debit pending', () => {
  it('shows what is pending, and asks for nothing more', async () => {
    const till = await openTill()
    const { id, url } = await newInvoice(till)
    await payAt(url, 'btok_test_success')
    const page = await visit(url)
    expect(page.text).toContain('Your payment is being processed')
    expect(page.text).toContain('Pending −$12.50 USD Due now $0.00 USD')
    expect(hasForm(page)).toBe(false)
    expect(await shownInvoice(till, id)).toMatchObject({
      status: 'open',
      amount_pending: 1250,
      payment_url: null,
    })
    till.clock.advance(120_000)
    await till.engine.reconcile()
    expect((await visit(url)).text).toContain('Paid')
  })

  it('does not call a card a bank account', async () => {
    const till = await openTill()
    const { url } = await newInvoice(till)
    await payAt(url, 'tok_test_unknown_forever')
    expect((await visit(url)).text).toContain(
      'That takes minutes with a card, a few days with a bank account.',
    )
  })

  it('asks again once the debit came back', async () => {
    const till = await openTill()
    const { url } = await newInvoice(till)
    await payAt(url, 'btok_test_account_closed')
    till.clock.advance(120_000)
    await till.engine.reconcile()
    expect((await visit(url)).text).toContain('Pay $12.50 USD')
  })
})

describe('money taken on an invoice’s page', () => {
  it.each([
    'tok_test_visa',
    'tok_test_declined',
    'tok_test_unreachable',
    'tok_test_unknown_forever',
    'btok_test_success',
  ])('has no pay_ id and no event (%s)', async (token) => {
    const till = await openTill()
    const { id, url } = await newInvoice(till)
    const shown = [await payAt(url, token), await visit(url)]
    till.clock.advance(120_000)
    await till.engine.reconcile()
    shown.push(await visit(url))
    for (const { html, headers } of shown) expect(html + JSON.stringify([...headers])).not.toContain('pay_')
    const { engine, caller } = till
    expect((await engine.events.list(caller, {}))._unsafeUnwrap().data).toEqual([])
    expect((await engine.payments.list(caller, {}))._unsafeUnwrap().data).toEqual([])
    expect(JSON.stringify(await shownInvoice(till, id))).not.toContain('pay_')
  })
})

describe('the links to an invoice’s page', () => {
  it('keep working when the invoice is sent again', async () => {
    const till = await openTill()
    const { id, url } = await newInvoice(till)
    const again =
      (await till.engine.admin.invoices.send(till.scope, { id }))._unsafeUnwrap().payment_url ?? ''
    expect(again).not.toBe(url)
    expect([hasForm(await visit(url)), hasForm(await visit(again))]).toEqual([true, true])
    await payAt(url, 'tok_test_visa')
    expect((await visit(again)).text).toContain('Nothing is due on this invoice.')
  })

  it.each(['revoked', 'expired'])('lead to nothing of the invoice once %s', async (how) => {
    const till = await openTill()
    const { id } = await newInvoice(till)
    const sent = (await till.engine.admin.invoices.send(till.scope, { id, link_days: 1 }))._unsafeUnwrap()
    const url = sent.payment_url ?? ''
    const before = await visit(url)
    if (how === 'revoked') await till.engine.admin.invoices.revokeLinks(till.scope, { id })
    else till.clock.advance(86_400_000)
    const dead = [await visit(url), await submit(url, filledIn(before, 'tok_test_visa'))]
    const [opened, paid] = dead.map(({ text }) => text.includes('Nothing was charged just now.'))
    expect([opened, paid]).toEqual([false, true])
    for (const page of dead) {
      expect([page.status, hasForm(page)]).toEqual([410, false])
      expect(page.text).toContain('This link no longer works')
      for (const part of ['INV-7', 'Acme', '12.50']) expect(page.html).not.toContain(part)
    }
    expect(till.processor.ledger.charges()).toEqual([])
  })

  it('say that the invoice was canceled', async () => {
    const till = await openTill()
    const { id, url } = await newInvoice(till)
    const before = await visit(url)
    await till.engine.admin.invoices.cancel(till.scope, { id })
    const page = await visit(url)
    expect(page.text).toContain('This invoice was canceled Nothing is due on it.')
    expect(hasForm(page)).toBe(false)
    expect(page.text).not.toContain('Nothing was charged')
    const sent = await submit(url, filledIn(before, 'tok_test_visa'))
    expect([sent.status, hasForm(sent)]).toEqual([409, false])
    expect(sent.text).toContain('Nothing was charged just now.')
    expect(till.processor.ledger.charges()).toEqual([])
  })
})
