import { sqliteStore } from '@quittance/store-sqlite'
import { describe, expect, it } from 'vitest'
import { shownCheckout } from '../../../testing/src/builders/sales.ts'
import { browserForFile } from '../browser.ts'
import { newCheckout, openTill, openTillHolding, payAt } from '../till.ts'
import { has_focus } from './in-page.ts'
import { card, payerWith } from './payer.ts'

const browser = browserForFile()
const openShopTill = () => openTill({ store: sqliteStore({ filename: ':memory:' }) })

describe('the way to pay that is open', () => {
  it('stays open when it is pressed again', async () => {
    const till = await openShopTill()
    const { page } = await (await payerWith(browser(), 'desktop')).open((await newCheckout(till)).url)
    const { x = 0, y = 0 } = (await page.locator('summary').first().boundingBox()) ?? {}
    await page.mouse.click(x + 20, y + 20)
    expect(await page.getByLabel('Name on card').isVisible()).toBe(true)
    await page.locator('summary').last().click()
    expect(await page.getByLabel('Name on account').isVisible()).toBe(true)
    expect(await page.getByLabel('Name on card').isVisible()).toBe(false)
  })
})

describe('the checkout page at an http address of the local network', () => {
  it('takes its own form, of which a browser says only the origin there', async () => {
    const till = await openTill({ publicUrl: 'http://shop.lan' })
    const payer = await payerWith(browser(), 'phone', { proxy: { server: till.origin } })
    const tab = await payer.open((await newCheckout(till)).url)
    await tab.pay(card('tok_test_visa'))
    await tab.page.waitForURL('https://shop.example.com/paid?session=*')
    expect(till.processor.ledger.charges()).toHaveLength(1)
  })
})

describe.each(['desktop', 'phone'] as const)('the checkout page on a %s, by keyboard alone', (size) => {
  it('shows what is asked, is paid, and goes on to success_url', async () => {
    const till = await openShopTill()
    const { id, url } = await newCheckout(till, { description: 'Two chairs', reference: 'ORDER-9' })
    const tab = await (await payerWith(browser(), size)).open(url)
    for (const part of ['Acme', '$12.50 USD', 'Two chairs', 'ORDER-9', 'Card', 'US bank account'])
      expect(await tab.text()).toContain(part)
    await tab.isFlawless()
    await tab.pay(card('tok_test_visa'))
    await tab.page.waitForURL(`https://shop.example.com/paid?session=${id}`)
    expect((await shownCheckout(till, id)).status).toBe('complete')
    expect(tab.complaints).toEqual([])
    await tab.page.goBack()
    expect(await tab.text()).toContain('This has already been paid.')
  })

  it('is paid from a bank account, once the authorization that is shown is accepted', async () => {
    const till = await openShopTill()
    const { id, url } = await newCheckout(till)
    const tab = await (await payerWith(browser(), size)).open(url)
    await tab.press('US bank account')
    expect(await tab.text()).toContain('debit this bank account electronically once for USD 12.50')
    await tab.isFlawless()
    await tab.payFromAccount()
    await tab.page.waitForURL(`https://shop.example.com/paid?session=${id}`)
    expect(till.processor.ledger.charges()).toHaveLength(1)
  })

  it('tells of a declined card where the keyboard is, and lets the payer try again', async () => {
    const till = await openShopTill()
    const { id, url } = await newCheckout(till)
    const tab = await (await payerWith(browser(), size)).open(url)
    await tab.pay(card('tok_test_declined'))
    await tab.page.getByRole('alert').waitFor()
    expect(await tab.page.title()).toBe('Not paid: $12.50 USD to Acme')
    const alert = tab.page.getByRole('alert')
    expect(await alert.innerText()).toContain('Your card was declined. Nothing was charged.')
    await expect.poll(() => tab.page.evaluate(has_focus('[role=alert]'))).toBe(true)
    expect(await tab.page.getByLabel('Name on card').inputValue()).toBe('Ada Lovelace')
    await tab.isFlawless()
    await tab.type('Sandbox card token', 'tok_test_visa')
    await tab.page.keyboard.press('Enter')
    await tab.page.waitForURL(`https://shop.example.com/paid?session=${id}`)
    expect(till.processor.ledger.totals().USD?.captured).toBe(1250)
  })

  it('that expired says so, and offers cancel_url', async () => {
    const till = await openShopTill()
    const { id, url } = await newCheckout(till)
    await till.engine.checkout_sessions.expire(till.caller, { id })
    const tab = await (await payerWith(browser(), size)).open(url)
    await tab.arrives('This page has expired')
    await tab.isFlawless()
    await tab.press('Return to shop.example.com')
    await tab.page.waitForURL('https://shop.example.com/cart')
  })

  it('that was paid already says so, and offers success_url', async () => {
    const till = await openShopTill()
    const { id, url } = await newCheckout(till)
    await payAt(url, 'tok_test_visa')
    const tab = await (await payerWith(browser(), size)).open(url)
    expect(await tab.text()).toContain('This has already been paid.')
    await tab.isFlawless()
    await tab.press('Return to shop.example.com')
    await tab.page.waitForURL(`https://shop.example.com/paid?session=${id}`)
  })

  it('whose payment is in flight asks for nothing when it is opened again, and goes on once it is known', async () => {
    const till = await openShopTill()
    const { id, url } = await newCheckout(till)
    const payer = await payerWith(browser(), size)
    const first = await payer.open(url)
    await first.pay(card('tok_test_unknown_approved'))
    await first.arrives('Your payment is being processed')
    await first.isFlawless()
    const again = await payer.open(url)
    await again.arrives('Your payment is being processed')
    expect(await again.page.locator('form').count()).toBe(0)
    till.clock.advance(61_000)
    await till.engine.reconcile()
    await again.press('Check again')
    await again.page.waitForURL(`https://shop.example.com/paid?session=${id}`)
  })

  it('in two tabs that pay at the same time is charged once', async () => {
    const till = await openTillHolding('before', { store: sqliteStore({ filename: ':memory:' }) })
    const { id, url } = await newCheckout(till)
    const payer = await payerWith(browser(), size)
    const [first, second] = [await payer.open(url), await payer.open(url)]
    await first.page.bringToFront()
    await first.pay(card('tok_test_visa'))
    await till.held
    await second.page.bringToFront()
    await second.pay(card('tok_test_mastercard'))
    await second.arrives('Your payment is being processed')
    till.release()
    await first.page.waitForURL(`https://shop.example.com/paid?session=${id}`)
    await second.press('Check again')
    await second.page.waitForURL(`https://shop.example.com/paid?session=${id}`)
    expect(till.processor.ledger.charges()).toHaveLength(1)
  })
})
