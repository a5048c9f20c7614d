import { sqliteStore } from '@quittance/store-sqlite'
import { describe, expect, it } from 'vitest'
import { shownInvoice } from '../../../testing/src/builders/sales.ts'
import { browserForFile } from '../browser.ts'
import { newInvoice, openTill, payAt } from '../till.ts'
import { measured_flaws } from './in-page.ts'
import { card, payerWith } from './payer.ts'

const browser = browserForFile()
const openShopTill = () => openTill({ store: sqliteStore({ filename: ':memory:' }) })

describe.each(['desktop', 'phone'] as const)('the invoice page on a %s, by keyboard alone', (size) => {
  it('shows number, dates and lines, takes all that is due, and tells nobody of a payment', async () => {
    const till = await openShopTill()
    const { engine, caller, scope } = till
    const { id, url } = await newInvoice(till, { total: 125_000 })
    await engine.admin.invoices.writeOff(scope, { id, amount: 5_000 })
    const tab = await (await payerWith(browser(), size)).open(url)
    const text = await tab.text()
    for (const part of ['$1,200.00 USD', 'INV-7', 'January 15, 2026', 'February 14, 2026', '−$50.00 USD'])
      expect(text).toContain(part)
    await tab.isFlawless()
    await tab.pay(card('tok_test_visa'))
    await tab.arrives('Paid')
    await tab.isFlawless()
    expect(await shownInvoice(till, id)).toMatchObject({
      status: 'paid',
      amount_paid: 120_000,
      amount_due: 0,
    })
    expect((await engine.payments.list(caller, {}))._unsafeUnwrap().data).toEqual([])
    expect((await engine.events.list(caller, {}))._unsafeUnwrap().data).toEqual([])
    expect(await tab.page.content()).not.toContain('pay_')
  })

  it('applies an early-payment discount, and shows it again on the paid invoice', async () => {
    const till = await openShopTill()
    const early_payment_discount = { amount: 2_500, until: '2026-02-10' }
    const { id, url } = await newInvoice(till, { total: 125_000, early_payment_discount })
    const tab = await (await payerWith(browser(), size)).open(url)
    const before = await tab.text()
    expect(before).toContain('You save $25.00 USD if you pay by February 10, 2026 (UTC).')
    expect(before).toContain('To pay today $1,225.00 USD')
    await tab.isFlawless()
    await tab.pay(card('tok_test_visa'))
    await tab.arrives('Paid')
    expect(await tab.text()).toContain('Early-payment discount −$25.00 USD Paid −$1,225.00 USD Due now $0.00')
    expect(await shownInvoice(till, id)).toMatchObject({ status: 'paid', amount_paid: 122_500 })
  })

  it('shows a bank debit that is pending, and asks for nothing more until it is known', async () => {
    const till = await openShopTill()
    const { url } = await newInvoice(till)
    const tab = await (await payerWith(browser(), size)).open(url)
    await tab.press('US bank account')
    await tab.payFromAccount()
    await tab.arrives('Your payment is being processed')
    expect(await tab.text()).toContain('Pending −$12.50 USD')
    await tab.isFlawless()
    till.clock.advance(120_000)
    await till.engine.reconcile()
    await tab.press('Check again')
    await tab.arrives('Paid')
  })

  it('explains links that are settled, dead or unknown', async () => {
    const till = await openShopTill()
    const { engine, scope } = till
    const [paid, canceled, dead] = [await newInvoice(till), await newInvoice(till), await newInvoice(till)]
    await payAt(paid.url, 'tok_test_visa')
    await engine.admin.invoices.cancel(scope, { id: canceled.id })
    await engine.admin.invoices.revokeLinks(scope, { id: dead.id })
    const payer = await payerWith(browser(), size)
    const states = [
      [paid.url, 'Paid', 'Nothing is due on this invoice.'],
      [canceled.url, 'This invoice was canceled', 'Nothing is due on it.'],
      [dead.url, 'This link no longer works', 'Please ask the merchant to send the invoice again.'],
      [`${till.origin}/pay/nothing`, 'There is no such page', 'Please check the address'],
    ] as const
    for (const [url, heading, said] of states) {
      const tab = await payer.open(url)
      await tab.arrives(heading)
      expect(await tab.text()).toContain(said)
      expect(await tab.page.locator('form').count()).toBe(0)
      await tab.isFlawless()
    }
  })
})

it.each(['en-US', 'fr-CA', 'es-US'])(
  'an invoice is whole on a phone where letters are twice the size: %s',
  async (locale) => {
    const till = await openTill({ elements: true })
    const early_payment_discount = { amount: 9_999_999, until: '2030-01-01' }
    const { url } = await newInvoice(till, { total: 99_999_999, early_payment_discount })
    const { page } = await (await payerWith(browser(), 'phone', { locale })).open('about:blank')
    const settings = await page.context().newCDPSession(page)
    await settings.send('Page.setFontSizes', { fontSizes: { standard: 32 } })
    await page.goto(url)
    expect(await page.evaluate(measured_flaws)).toEqual([])
  },
)
