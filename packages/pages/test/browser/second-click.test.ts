import { sqliteStore } from '@quittance/store-sqlite'
import { describe, expect, it } from 'vitest'
import { browserForFile } from '../browser.ts'
import { newCheckout, newInvoice, openTillHolding, visit } from '../till.ts'
import { payerWith, type Tab } from './payer.ts'

const browser = browserForFile()

/** Its processor has made a charge, and does not answer until it is released. */
const openHeldTill = () =>
  openTillHolding('after', { elements: true, store: sqliteStore({ filename: ':memory:' }) })

const details = (number: string) => ({
  'Card number': number,
  'Expiry date': '1234',
  'Security code': '123',
  'Name on card': 'Ada Lovelace',
  'Postal code': '02139',
})

/** While a page is waited for, it can be listened to and pressed, but Playwright asks it nothing. */
async function watch({ page }: Tab) {
  const said: string[] = []
  page.on('console', (message) => said.push(message.text()))
  await page.evaluate(`new MutationObserver(([{ target }]) => console.info('busy: ' + target.ariaBusy))
    .observe(document.querySelector('form'), { attributeFilter: ['aria-busy'] })`)
  const posted: string[] = []
  page.on('request', (request) => {
    if (request.isNavigationRequest() && request.method() === 'POST') posted.push(request.postData() ?? '')
  })
  return { said, posted }
}

describe('a second click on Pay while the processor is slow', () => {
  it('has the payer go on to the shop as soon as the first has paid', async () => {
    const till = await openHeldTill()
    const { id, url } = await newCheckout(till)
    const tab = await (await payerWith(browser(), 'desktop')).open(url)
    const { said, posted } = await watch(tab)
    await tab.pay(details('4242424242424242'))
    await till.held
    await expect.poll(() => said.at(-1)).toBe('busy: true')
    await tab.page.keyboard.press('Enter')
    await expect.poll(() => posted).toHaveLength(2)
    // As much work as the second would need to be answered on its own.
    for (const _ of [1, 2, 3]) await visit(url)
    till.release()
    await tab.page.waitForURL(`https://shop.example.com/paid?session=${id}`)
    expect(till.processor.ledger.charges()).toHaveLength(1)
    expect(tab.complaints).toEqual([])
  })

  it.each([newCheckout, newInvoice])('shows that the first card was declined (%o)', async (newPage) => {
    const till = await openHeldTill()
    const { url } = await newPage(till)
    const tab = await (await payerWith(browser(), 'phone')).open(url)
    const { posted } = await watch(tab)
    await tab.pay(details('4000000000000002'))
    await till.held
    await tab.page.keyboard.press('Enter')
    await expect.poll(() => posted).toHaveLength(2)
    // As much work as the second would need to be answered on its own.
    for (const _ of [1, 2, 3]) await visit(url)
    till.release()
    await tab.page.getByRole('alert').filter({ hasText: 'Your card was declined.' }).waitFor()
    expect(till.processor.ledger.charges()).toHaveLength(1)
  })

  it('pays an invoice once, and shows it paid', async () => {
    const till = await openHeldTill()
    const { url } = await newInvoice(till)
    const tab = await (await payerWith(browser(), 'desktop')).open(url)
    const { posted } = await watch(tab)
    await tab.pay(details('4242424242424242'))
    await till.held
    await tab.page.keyboard.press('Enter')
    await expect.poll(() => posted).toHaveLength(2)
    // As much work as the second would need to be answered on its own.
    for (const _ of [1, 2, 3]) await visit(url)
    till.release()
    await tab.arrives('Paid')
    expect(till.processor.ledger.charges()).toHaveLength(1)
  })
})
