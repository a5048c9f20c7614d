import { describe, expect, it } from 'vitest'
import { shownCheckout } from '../../testing/src/builders/sales.ts'
import { filledIn, hasForm, newCheckout, openTill, openTillHolding, payAt, submit, visit } from './till.ts'

describe('the page of an open checkout session', () => {
  it('shows who asks for how much and what for, and the payment methods of the session', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till, { description: 'Two chairs', reference: 'ORDER-9' })
    const page = await visit(url)
    expect(page.status).toBe(200)
    for (const part of ['Acme', 'Pay $12.50 USD', 'Two chairs', 'ORDER-9', 'Name on card', 'US bank account'])
      expect(page.text).toContain(part)
    expect(page.text).toContain('debit this bank account electronically once for USD 12.50')
  })

  it('offers only the payment methods of the session', async () => {
    const till = await openTill()
    const card = await visit((await newCheckout(till, { payment_method_types: ['card'] })).url)
    expect([card.text.includes('Sandbox card token'), card.text.includes('bank account token')]).toEqual([
      true,
      false,
    ])
    const canadian = await visit((await newCheckout(till, { currency: 'CAD' })).url)
    expect(canadian.text).toContain('Pay $12.50 CAD')
    expect(canadian.text).not.toContain('bank account token')
    const { url } = await newCheckout(till, { payment_method_types: ['card'] })
    const forced = filledIn(await visit(url), 'tok_test_visa', { method: 'us_bank_account' })
    const sent = await submit(url, {
      ...forced,
      token: 'btok_test_success',
      accepted: 'yes',
      terms_version: '2026-01',
    })
    expect([sent.status, hasForm(sent)]).toEqual([400, true])
  })

  it('is paid with a card, completes the session, and sends the payer on to the stored success_url', async () => {
    const till = await openTill()
    const { id, url } = await newCheckout(till)
    const sent = await payAt(url, 'tok_test_visa')
    expect([sent.status, sent.headers.get('location')]).toEqual([303, `${new URL(url).pathname}?paid`])
    const session = await shownCheckout(till, id)
    expect([session.status, session.completed_at !== null]).toEqual(['complete', true])
    const paid = await visit(`${url}?paid`)
    expect(paid.text).toContain('Paid Thank you. Your payment was received.')
    const onward = `https://shop.example.com/paid?session=${id}`
    expect(paid.html).toContain(`<meta http-equiv="refresh" content="0; url=${onward}">`)
    expect(paid.html).toContain(`href="${onward}"`)
    expect(hasForm(paid)).toBe(false)
    const payment = (
      await till.engine.payments.retrieve(till.caller, { id: session.payment ?? '' })
    )._unsafeUnwrap()
    expect(payment).toMatchObject({ status: 'succeeded', amount: 1250, checkout_session: id })
  })

  it('says that it has been paid to whoever opens it again, and sends nobody on', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    await payAt(url, 'tok_test_visa')
    const again = await visit(url)
    expect(again.text).toContain('This has already been paid.')
    expect(again.html).toContain('<title>Paid · $12.50 USD to Acme</title>')
    expect([again.html.includes('http-equiv="refresh"'), hasForm(again)]).toEqual([false, false])
    expect(till.processor.ledger.charges()).toHaveLength(1)
  })

  it('is paid from a bank account once the authorization is accepted, and records where it was accepted', async () => {
    const till = await openTill()
    const { id, url } = await newCheckout(till)
    const refused = await payAt(url, 'btok_test_success', { accepted: '' })
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('only if you accept the authorization')
    await submit(url, filledIn(refused, 'btok_test_success'), { 'user-agent': 'the browser of a payer' })
    expect((await shownCheckout(till, id)).status).toBe('complete')
    expect((await visit(`${url}?paid`)).text).toContain('Bank debit accepted')
    const again = await visit(url)
    expect(again.text).toContain('Thank you. The money will leave your bank account within a few days')
    expect(again.text).not.toContain('has already been paid')
    const sessions = await till.store.read(till.scope, (rows) =>
      rows.payment_method_sessions.page({ where: { status: 'succeeded' }, limit: 9, after: undefined }),
    )
    expect(sessions[0]?.ach_authorization).toMatchObject({
      terms_version: '2026-01',
      amount: 1250,
      ip_address: '127.0.0.1',
      user_agent: 'the browser of a payer',
    })
  })

  it('tells when a bank took the payment back', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    await payAt(url, 'btok_test_account_closed')
    till.clock.advance(120_000)
    await till.engine.reconcile()
    const page = await visit(`${url}?paid`)
    expect(page.text).toContain('The payment was returned')
    expect(page.html).not.toContain('http-equiv="refresh"')
  })

  it.each([
    ['tok_test_declined', 402, 'Your card was declined.'],
    ['tok_test_insufficient_funds', 402, 'it has insufficient funds'],
    ['tok_test_incorrect_cvc', 402, 'could not be verified'],
    ['tok_test_expired', 400, 'This card has expired'],
    ['tok_test_unreachable', 402, 'The payment service could not be reached. Nothing was charged.'],
    ['tok_test_unheard_of', 400, 'There is no such sandbox token'],
    ['btok_test_verification_fails', 402, 'Your bank account could not be verified'],
  ])('lets the payer try again after %s', async (token, status, message) => {
    const till = await openTill()
    const { id, url } = await newCheckout(till)
    const refused = await payAt(url, token, { name: 'Grace Hopper' })
    expect(refused.status).toBe(status)
    expect(refused.text).toContain(message)
    expect(refused.html).toContain('role="alert"')
    expect(refused.html).toContain('value="Grace Hopper"')
    expect(refused.html).not.toContain(`value="${token}"`)
    await submit(url, filledIn(refused, 'tok_test_visa'))
    expect((await shownCheckout(till, id)).status).toBe('complete')
  })

  it('keeps nothing of a card number that was typed into its form', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const number = '4242 4242 4242 4242'
    const shown = [await payAt(url, number), await payAt(url, 'tok_test_visa', { name: number })]
    expect(shown.map(({ status }) => status)).toEqual([400, 400])
    for (const { text } of shown) expect(text).toContain('never a card or account number')
    expect(shown.map(({ html }) => html.includes(number))).toEqual([false, false])
    expect(till.logged.join()).not.toContain('4242')
  })
})

describe('the page of a checkout session whose payment is in flight', () => {
  it('takes no second payment, and goes on once the outcome is known', async () => {
    const till = await openTill()
    const { id, url } = await newCheckout(till)
    const before = await visit(url)
    await payAt(url, 'tok_test_unknown_approved')
    const waiting = await visit(`${url}?paid`)
    expect(waiting.html).toContain('<title>Your payment is being processed · $12.50 USD to Acme</title>')
    expect([hasForm(waiting), waiting.html.includes('role="status"')]).toEqual([false, true])
    await submit(url, filledIn(before, 'tok_test_visa'))
    expect(till.processor.ledger.charges()).toHaveLength(1)
    till.clock.advance(61_000)
    await till.engine.reconcile()
    expect((await shownCheckout(till, id)).status).toBe('complete')
    expect((await visit(`${url}?paid`)).html).toContain(`url=https://shop.example.com/paid?session=${id}`)
  })

  it('is open again when that payment came to nothing, and says so', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    await payAt(url, 'tok_test_unknown_declined')
    const [, again = ''] = /href="([^"]+)">Check again/.exec((await visit(`${url}?paid`)).html) ?? []
    till.clock.advance(61_000)
    await till.engine.reconcile()
    const page = await visit(till.origin + again)
    expect(page.text).toContain('The payment did not go through. Nothing was charged.')
    expect(hasForm(page)).toBe(true)
    const other = await newCheckout(till)
    const payment = new URL(till.origin + again).search
    expect((await visit(other.url + payment)).text).not.toContain('did not go through')
  })

  it.each(['?paid', '?paid=pay_test_none', ''])('is what no address alone can claim (%s)', async (query) => {
    const till = await openTill()
    const page = await visit((await newCheckout(till)).url + query)
    expect(page.html).toContain('<title>$12.50 USD to Acme</title>')
    expect([hasForm(page), page.html.includes('role="alert"')]).toEqual([true, false])
  })

  it('is what a second tab meets that pays at the same time', async () => {
    const till = await openTillHolding('before')
    const { id, url } = await newCheckout(till)
    const tabs = [await visit(url), await visit(url)] as const
    const first = submit(url, filledIn(tabs[0], 'tok_test_visa'))
    await till.held
    const second = await submit(url, filledIn(tabs[1], 'tok_test_mastercard'))
    expect(second.status).toBe(303)
    expect(second.headers.get('location')).toMatch(/\?paid=pay_test_\w+$/)
    expect((await visit(`${url}?paid`)).text).toContain('Your payment is being processed')
    till.release()
    expect((await first).status).toBe(303)
    expect((await shownCheckout(till, id)).status).toBe('complete')
    expect(till.processor.ledger.charges()).toHaveLength(1)
  })
})

describe('the page of an expired checkout session', () => {
  it.each(['expire', 'time'])('offers cancel_url and takes no payment (by %s)', async (by) => {
    const till = await openTill()
    const { id, url } = await newCheckout(till)
    const before = await visit(url)
    if (by === 'expire') await till.engine.checkout_sessions.expire(till.caller, { id })
    else till.clock.advance(86_400_000)
    const page = await visit(url)
    expect(page.text).toContain('This page has expired Nothing was charged.')
    expect(page.html).toContain('href="https://shop.example.com/cart"')
    expect(hasForm(page)).toBe(false)
    await submit(url, filledIn(before, 'tok_test_visa'))
    expect(till.processor.ledger.charges()).toEqual([])
    expect((await shownCheckout(till, id)).status).toBe('expired')
  })
})

describe('a page where no details can be collected', () => {
  it('says in live mode that card collection is not set up', async () => {
    const till = await openTill()
    const caller = await till.engine.caller({ ...till.scope, livemode: true })
    const { url } = await newCheckout({ ...till, caller })
    const page = await visit(url)
    expect(page.text).toContain('Card collection is not set up on this page yet.')
    expect([hasForm(page), page.text.includes('Sandbox')]).toEqual([false, false])
    const sandbox = await newCheckout(till)
    const forced = await submit(url, filledIn(await visit(sandbox.url), 'tok_test_visa'))
    expect(forced.status).toBe(400)
    expect(till.live_processor.ledger.charges()).toEqual([])
  })

  it('speaks of the bank account where nothing else is asked for', async () => {
    const till = await openTill()
    const caller = await till.engine.caller({ ...till.scope, livemode: true })
    const only = { payment_method_types: ['us_bank_account'] }
    const page = await visit((await newCheckout({ ...till, caller }, only)).url)
    expect(page.text).toContain('Payment from a bank account is not set up on this page yet.')
    expect(page.text).not.toContain('Card collection')
  })
})
