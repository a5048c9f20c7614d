import { describe, expect, it } from 'vitest'
import { browserForFile } from '../browser.ts'
import { call, openPage, openShop } from './shop.ts'

const browser = browserForFile()

describe('<quittance-card>', () => {
  it('gets a token for a card, and confirms a session with it', async () => {
    const shop = await openShop()
    const { page, fields, console } = await openPage(browser(), shop, shop.cardElement())
    await fields.getByLabel('Card number').pressSequentially('4242424242424242')
    await fields.getByLabel('Expiry date').pressSequentially('1234')
    await fields.getByLabel('Security code').pressSequentially('123')
    const { id, confirm } = await shop.session()
    const confirmed = await call(page, 'confirm', confirm)
    expect(confirmed.value).toMatchObject({ id, status: 'succeeded', card: { last4: '4242' } })
    expect(console).toEqual([])
  })
})
