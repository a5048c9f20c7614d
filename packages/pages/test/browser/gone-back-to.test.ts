import { expect, it } from 'vitest'
import { browserForFile } from '../browser.ts'
import { newCheckout, openTill } from '../till.ts'
import { payerWith } from './payer.ts'

const browser = browserForFile({ keeps_pages: true })

it('a page that the browser has kept is shown as it is by now, without the card that was typed in', async () => {
  const till = await openTill({ elements: true })
  const { id, url } = await newCheckout(till)
  const tab = await (await payerWith(browser(), 'desktop')).open(url)
  const card = { 'Card number': '4242424242424242', 'Expiry date': '1234', 'Security code': '123' }
  await tab.pay({ ...card, 'Name on card': 'Ada Lovelace', 'Postal code': '02139' })
  await tab.page.waitForURL(`https://shop.example.com/paid?session=${id}`)
  await tab.page.goBack({ waitUntil: 'commit' })
  await tab.arrives('Paid')
  expect(await tab.text()).toContain('This has already been paid.')
})
