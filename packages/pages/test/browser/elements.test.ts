import { sqliteStore } from '@quittance/store-sqlite'
import { describe, expect, it } from 'vitest'
import { browserForFile } from '../browser.ts'
import { fieldsOf } from '../elements/shop.ts'
import { filledIn, newCheckout, newInvoice, openTill, openTillHolding, submit, visit } from '../till.ts'
import { cut_off, gap_before_brand, layout_shift, measured_flaws } from './in-page.ts'
import { payerWith } from './payer.ts'

const browser = browserForFile()
const openShopTill = () => openTill({ elements: true, store: sqliteStore({ filename: ':memory:' }) })

const card = (number: string) => ({ 'Card number': number, 'Expiry date': '1234', 'Security code': '123' })
const payer_details = { 'Name on card': 'Ada Lovelace', 'Postal code': '02139' }

describe.each(['desktop', 'phone'] as const)('a page with Elements on a %s, by keyboard alone', (size) => {
  it('is paid with a card whose number stays in the frame', async () => {
    const till = await openShopTill()
    const { id, url } = await newCheckout(till)
    const tab = await (await payerWith(browser(), size)).open(url)
    const sent: string[] = []
    tab.page.on('request', (request) => {
      const { origin } = new URL(request.url())
      if (origin !== till.frames_origin) sent.push(`${request.url()} ${request.postData()}`)
    })
    await tab.isFlawless()
    await tab.pay({ ...card('4242424242424242'), ...payer_details })
    await tab.page.waitForURL(`https://shop.example.com/paid?session=${id}`)
    expect(till.processor.ledger.charges()).toMatchObject([{ amount: 1250, state: { kind: 'approved' } }])
    expect(sent.join()).toContain('token=tok_test_visa')
    for (const digits of ['4242424242424242', '4242 4242'])
      expect(sent.join() + till.logged.join()).not.toContain(digits)
  })

  it.each([
    ['fr-CA', 'Numéro de carte', 'Payer'],
    ['es-US', 'Número de tarjeta', 'Pagar'],
  ])('speaks the payer’s language in every part: %s', async (locale, label, pay) => {
    const till = await openShopTill()
    const { url } = await newInvoice(till, { total: 125_000, due_date: '2026-01-20' })
    const tab = await (await payerWith(browser(), size, { locale })).open(url)
    await tab.reach(label)
    await tab.isFlawless()
    await tab.reach(pay)
  })

  it('tells of a declined card, and lets the payer enter another one', async () => {
    const till = await openShopTill()
    const { id, url } = await newCheckout(till)
    const tab = await (await payerWith(browser(), size)).open(url)
    await tab.pay({ ...card('4000000000000002'), ...payer_details })
    await tab.page.getByRole('alert').filter({ hasText: 'Your card was declined.' }).waitFor()
    await tab.isFlawless()
    await tab.type('Card number', '5555555555554444')
    await tab.type('Expiry date', '1234')
    await tab.type('Security code', '123')
    await tab.press('Pay $12.50 USD')
    await tab.page.waitForURL(`https://shop.example.com/paid?session=${id}`)
    expect(till.processor.ledger.totals().USD?.captured).toBe(1250)
  })

  it('after a declined card is reloaded and gone back to without sending the form again', async () => {
    const till = await openShopTill()
    const { id, url } = await newCheckout(till)
    const tab = await (await payerWith(browser(), size)).open(url)
    const decline = async () => {
      await tab.pay({ ...card('4000000000000002'), ...payer_details })
      await tab.page.getByRole('alert').filter({ hasText: 'Your card was declined.' }).waitFor()
      await tab.page.waitForLoadState()
    }
    await decline()
    const asked: string[] = []
    tab.page.on('request', (request) => {
      if (request.isNavigationRequest() && request.frame() === tab.page.mainFrame())
        asked.push(`${request.method()} ${request.url()}`)
    })
    await tab.page.reload()
    expect(asked).toEqual([`GET ${url}`])
    expect(await tab.page.getByRole('alert').count()).toBe(0)
    await decline()
    await tab.pay({ ...card('4242424242424242'), ...payer_details, 'Name on card': '', 'Postal code': '' })
    await tab.page.waitForURL(`https://shop.example.com/paid?session=${id}`)
    await tab.page.goBack()
    expect(await tab.text()).toContain('This has already been paid.')
    expect(till.processor.ledger.charges()).toHaveLength(3)
  })

  it('does not show what was wrong with the last form beside what is wrong with the next', async () => {
    const till = await openShopTill()
    const { url } = await newCheckout(till)
    const tab = await (await payerWith(browser(), size)).open(url)
    await tab.pay({ ...card('4000000000000002'), ...payer_details })
    const refusal = tab.page.getByRole('alert').filter({ hasText: 'Your card was declined.' })
    await refusal.waitFor()
    await tab.press('Pay $12.50 USD')
    await refusal.waitFor({ state: 'detached' })
    expect(await tab.page.getByRole('alert').count()).toBe(0)
    await tab.isFlawless()
  })

  it('tells once of a payment that came to nothing', async () => {
    const till = await openTillHolding('after', { elements: true })
    const { url } = await newCheckout(till)
    const payer = await payerWith(browser(), size)
    const tab = await payer.open(url)
    const sent = submit(url, filledIn(await visit(url), 'tok_test_declined'))
    await till.held
    await tab.page.reload()
    till.release()
    await sent
    await tab.press('Check again')
    await tab.page.getByRole('alert').filter({ hasText: 'The payment did not go through.' }).waitFor()
    await expect.poll(() => tab.page.url()).toBe(url)
    await tab.page.reload()
    expect(await tab.page.getByRole('alert').count()).toBe(0)
  })

  it('is paid from a bank account', async () => {
    const till = await openShopTill()
    const { url } = await newInvoice(till)
    const tab = await (await payerWith(browser(), size)).open(url)
    await tab.press('US bank account')
    await tab.type('Routing number', '110000000')
    await tab.type('Account number', '000123456789')
    await tab.type('Name on account', 'Ada Lovelace')
    await tab.type('Postal code', '02139')
    await tab.press('I have read this authorization', 'Space')
    await tab.isFlawless()
    await tab.press('Pay $12.50 USD')
    await tab.arrives('Your payment is being processed')
    expect(till.processor.ledger.charges()).toMatchObject([{ amount: 1250 }])
  })
})

/** The longest of each network, and the shorter ones that are common. */
const longest_numbers = [
  ['Amex', '378282246310005'],
  ['Visa', '4242424242424242'],
  ['Visa', '4000000000000000006'],
  ['Mastercard', '5555555555554444'],
  ['Discover', '6011000000000000003'],
  ['Diners Club', '3600000000000000008'],
  ['JCB', '3528000000000000007'],
  ['UnionPay', '6200000000000000005'],
] as const

describe.each([320, 360, 390, 1280])('the card number in a window of %i pixels', (width) => {
  it('is shown whole, and beside it the network where there is room for both', async () => {
    const till = await openShopTill()
    const { url } = await newCheckout(till)
    const viewport = { width, height: 800 }
    const tab = await (await payerWith(browser(), 'phone', { viewport })).open(url)
    await tab.reach('Card number')
    const fields = tab.page.frames().find((frame) => frame.url().endsWith('/card'))
    const seen: Record<string, boolean> = {}
    for (const [name, number] of longest_numbers) {
      await fields?.locator('#number').fill(number)
      expect(await fields?.locator('#brand').textContent()).toBe(name)
      expect.soft(await fields?.evaluate(cut_off('#number')), name).toBe(0)
      const gap = await fields?.evaluate<number | null>(gap_before_brand)
      seen[name] = gap !== null
      expect.soft(gap ?? 4, name).toBeGreaterThanOrEqual(4)
    }
    expect(await tab.page.evaluate(measured_flaws)).toEqual([])
    expect(seen).toMatchObject(width >= 390 ? { Amex: true, Visa: true, Mastercard: true } : {})
  })
})

describe('a page with Elements', () => {
  it.each([
    [1280, 'en'],
    [1280, 'es'],
    [390, 'en'],
    [390, 'fr'],
    [390, 'es'],
    [320, 'en'],
    [320, 'fr'],
  ])(
    'asks for the module after the page, and shifts nothing (%s pixels wide, in %s)',
    async (width, locale) => {
      const till = await openShopTill()
      const { url } = await newCheckout(till, { payment_method_types: ['card'] })
      const page = await browser().newPage({ viewport: { width, height: 844 }, locale })
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      await page.goto(url, { waitUntil: 'networkidle' })
      await fieldsOf(page)
      expect(asked[0]).toBe(url)
      expect(asked[1]).toMatch(/\/checkout\/elements\/\w+\.js$/)
      expect(asked.slice(2)).toEqual([`${till.frames_origin}/card`])
      expect(await page.evaluate(layout_shift)).toBe(0)
      const policy = (await visit(url)).headers.get('content-security-policy') ?? ''
      expect(policy).toContain(`script-src ${asked[1]}; frame-src ${till.frames_origin};`)
      expect(policy).not.toContain('unsafe')
      await page.close()
    },
  )

  it.each([
    ['en-US', 'The fields for your details could not be loaded.'],
    ['fr-CA', 'Les champs de saisie n’ont pas pu être chargés.'],
    ['es-US', 'No se pudieron cargar los campos para sus datos.'],
  ])(
    'says in words that its fields are missing where the module does not come, and sends no form (%s)',
    async (locale, said) => {
      const till = await openShopTill()
      const { url } = await newCheckout(till, { payment_method_types: ['card'] })
      const tab = await (await payerWith(browser(), 'phone', { locale })).open(url)
      await tab.reach(locale === 'en-US' ? 'Card number' : locale === 'fr-CA' ? 'Numéro' : 'Número')
      expect(await tab.text()).not.toContain(said)
      await tab.page.goto(url.replace('127.0.0.1', 'localhost'))
      expect(await tab.text()).not.toContain(said)
      await expect.poll(tab.text).toContain(said)
      expect(await tab.page.getByRole('button').isEnabled()).toBe(false)
      expect(await tab.page.evaluate(measured_flaws)).toEqual([])
    },
  )

  it('is loaded again where the browser has kept it: it may be paid by now, and a card is typed in', async () => {
    const till = await openShopTill()
    const { url } = await newCheckout(till)
    const tab = await (await payerWith(browser(), 'desktop')).open(url)
    await tab.type('Card number', '4242424242424242')
    await submit(url, filledIn(await visit(url), 'tok_test_visa'))
    // What a browser does itself when a payer goes back; Playwright and the Chromium of npm keep no page.
    await tab.page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    await tab.arrives('Paid')
  })

  it('says in words what it needs where scripts do not run, and has nothing to fill in', async () => {
    const till = await openShopTill()
    const { url } = await newCheckout(till)
    const context = await browser().newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(url)
    expect(await page.locator('noscript p').first().innerText()).toContain('please allow JavaScript')
    expect(await page.locator('input:visible, button:visible, label:visible').count()).toBe(0)
    await context.close()
  })
})
