import { describe, expect, it } from 'vitest'
import { browserForFile } from '../browser.ts'
import { newCheckout, newInvoice, openTill, payAt } from '../till.ts'
import { indents_of_values } from './in-page.ts'
import { payerWith } from './payer.ts'

const browser = browserForFile()

/** Shown whole, or with white space collapsed as everywhere in HTML. */
const hostile = {
  markup: '<script>alert(1)</script><img src=x onerror=alert(1)>"><svg onload=alert(1)>',
  'right to left': 'مرحبا بالعالم \u202Eevil\u202C שלום',
  'one word of 500 letters': 'W'.repeat(500),
  '500 characters of words': 'long '.repeat(99).concat('texts'),
}

describe.each(['desktop', 'phone'] as const)('text on a %s', (size) => {
  it.each(Object.entries(hostile))('that is %s is shown as text, and breaks no layout', async (_, text) => {
    const till = await openTill()
    const short = text.slice(0, 100).trim()
    await till.engine.admin.workspaces.update(till.scope, { name: text.slice(0, 200).trim() })
    const { url } = await newCheckout(till, { amount: 99_999_999, description: text, reference: short })
    const invoice = await newInvoice(till, { number: short, total: 99_999_999, due_date: '2026-01-20' })
    const payer = await payerWith(browser(), size)
    const [open, billed] = [await payer.open(url), await payer.open(invoice.url)]
    for (const tab of [open, billed]) await tab.isFlawless()
    for (const part of [text, short]) expect(await open.text()).toContain(part)
    expect(await billed.text()).toContain(short)
    for (const { page } of [open, billed]) expect(await page.title()).not.toMatch(/[\u202a-\u202e]/)
    const shown = text
      .slice(0, 200)
      .replace(/[\u202a-\u202e]/g, '')
      .trim()
    expect(await open.page.locator('.merchant bdi').innerText()).toBe(shown)
    expect(await open.page.evaluate(indents_of_values)).toEqual([0, 0])
    expect(await open.page.locator('script, img, svg[onload]').count()).toBe(0)
  })

  it('that a payer typed comes back as text', async () => {
    const till = await openTill()
    const { url } = await newCheckout(till)
    const tab = await (await payerWith(browser(), size)).open(url)
    const name = `"><script>alert(1)</script>`
    await tab.pay({ 'Sandbox card token': 'tok_test_declined', 'Name on card': name, 'Postal code': '02139' })
    await tab.page.getByRole('alert').waitFor()
    expect(await tab.page.getByLabel('Name on card').inputValue()).toBe(name)
    await tab.isFlawless()
  })

  it('is not taken for an address: the way on is the stored one', async () => {
    const till = await openTill()
    const { id, url } = await newCheckout(till, { description: 'javascript:alert(1)' })
    await payAt(url, 'tok_test_visa')
    const tab = await (await payerWith(browser(), size)).open(`${url}?success_url=https://evil.example`)
    const addresses = await tab.page.locator('a').evaluateAll((links) => links.map((link) => String(link)))
    expect(addresses).toEqual([`https://shop.example.com/paid?session=${id}`])
  })
})

describe('an address to return to', () => {
  it.each(['javascript:alert(1)', 'data:text/html,<b>x</b>', 'http://shop.example.com/', 'shop'])(
    'is refused when the session is made: %s',
    async (address) => {
      const till = await openTill()
      const good = 'https://shop.example.com/'
      for (const param of ['success_url', 'cancel_url']) {
        const urls = { success_url: good, cancel_url: good, [param]: address }
        const made = await till.engine.checkout_sessions.create(till.caller, {
          amount: 1,
          currency: 'USD',
          ...urls,
        })
        expect(made._unsafeUnwrapErr()).toMatchObject({ code: 'parameter_invalid', param })
      }
    },
  )
})
