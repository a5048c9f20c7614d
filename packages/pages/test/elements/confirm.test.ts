import { describe, expect, it } from 'vitest'
import { browserForFile } from '../browser.ts'
import { call, type Opened, openPage, openShop } from './shop.ts'

const browser = browserForFile()

async function fillIn({ fields }: Opened, number: string): Promise<void> {
  await fields.locator('#number').fill(number)
  await fields.locator('#expiry').fill('12/34')
  await fields.locator('#cvc').fill('123')
}

/** Everything that a frame says reaches the page late. */
const slow_line = `<script>
const { set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage')
Object.defineProperty(MessagePort.prototype, 'onmessage', {
  set(listener) {
    set.call(this, (event) => setTimeout(() => listener(event), 300))
  },
})
</script>`

describe('confirm()', () => {
  it('resolves to the session as the API shows it to a browser', async () => {
    const shop = await openShop()
    const opened = await openPage(browser(), shop, shop.cardElement())
    await fillIn(opened, '5555 5555 5555 4444')
    const { id, confirm } = await shop.session()
    const { value } = await call(opened.page, 'confirm', confirm)
    expect(value).toMatchObject({ object: 'payment_method_session', id, card: { brand: 'mastercard' } })
  })

  it.each([
    ['4000000000000127', 'card_verification_failed', 'en', 'The card was not accepted.'],
    ['4000000000000069', 'card_expired', 'fr', 'Cette carte a expiré.'],
  ])('rejects with the API’s error, and the fields tell the payer (%s)', async (...row) => {
    const [number, code, locale, message] = row
    const shop = await openShop()
    const opened = await openPage(browser(), shop, shop.cardElement(`locale="${locale}"`))
    await fillIn(opened, number)
    const { confirm } = await shop.session()
    const { refused } = await call(opened.page, 'confirm', confirm)
    expect(refused).toMatchObject({ code, field: null, api: { code, type: 'card_error' } })
    const alert = opened.fields.getByRole('alert').filter({ hasText: message })
    await alert.waitFor()
    await expect.poll(() => opened.fields.evaluate('document.activeElement.id')).toBe('number')

    await fillIn(opened, '4242 4242 4242 4242')
    expect(await alert.count()).toBe(0)
    expect((await call(opened.page, 'confirm', confirm)).value).toMatchObject({ status: 'succeeded' })
  })

  it('sends no key that may not be in a page, and says so to whoever put it there', async () => {
    const shop = await openShop()
    const opened = await openPage(browser(), shop, shop.cardElement())
    await fillIn(opened, '4242 4242 4242 4242')
    const { confirm } = await shop.session()
    const options = { ...confirm, publishableKey: 'sk_test_of_a_server' }
    const { refused } = await call(opened.page, 'confirm', options)
    expect(refused).toMatchObject({ code: 'invalid_api_key', field: null, api: null })
    expect(opened.console.join()).toContain('confirm() takes a publishable key')
    expect(shop.seen.filter(({ headers }) => headers.includes('sk_test_of_a_server'))).toEqual([])
    expect(shop.tokenized.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it.each([
    ['without options', 'undefined', '', 'invalid_api_key'],
    ['with a key that is no text', '{ publishableKey: 5 }', '', 'invalid_api_key'],
    ['without a secret', `{ publishableKey: 'pk_test_a' }`, '', 'client_secret_missing'],
    [
      'with a secret to come',
      `{ publishableKey: 'pk_test_a', clientSecret: (async () => '')() }`,
      '',
      'client_secret_missing',
    ],
    ['at no address', `{ publishableKey: 'pk_test_a', clientSecret: 'a' }`, 'http://', 'invalid_api_address'],
  ])('says what the page has got wrong, and asks for no token (%s)', async (_how, options, api, code) => {
    const shop = await openShop()
    const opened = await openPage(
      browser(),
      shop,
      `<quittance-card frame="${shop.frames}/card" api="${api}">`,
    )
    await fillIn(opened, '4242 4242 4242 4242')
    const refused = await opened.page.evaluate(
      `document.querySelector('quittance-card').confirm(${options}).catch(({ name, code }) => ({ name, code }))`,
    )
    expect(refused).toEqual({ name: 'QuittanceError', code })
    await opened.fields.getByRole('alert').filter({ hasText: 'ask the merchant' }).waitFor()
    expect(opened.console).toHaveLength(1)
    expect(shop.tokenized.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it.each([
    [{ name: ' ', postal_code: '02139' }, 'name', 'Enter the name of the holder.'],
    [{ name: 'Ada Lovelace', postal_code: '' }, 'postal_code', 'Enter the postal code.'],
    [undefined, 'name', 'Enter the name of the holder.'],
  ])(
    'names what is missing, and asks for no token without it (%j)',
    async (billingDetails, field, message) => {
      const shop = await openShop()
      const opened = await openPage(browser(), shop, shop.cardElement())
      await fillIn(opened, '4242 4242 4242 4242')
      const { confirm } = await shop.session()
      const { refused } = await call(opened.page, 'confirm', { ...confirm, billingDetails })
      expect(refused).toEqual({ code: `${field}_missing`, field, message, api: null })
      await opened.fields.getByRole('alert').filter({ hasText: message }).waitFor()
      expect(shop.tokenized.filter(({ method }) => method === 'POST')).toEqual([])
      expect((await call(opened.page, 'confirm', confirm)).value).toMatchObject({ status: 'succeeded' })
    },
  )

  it('tried again after a lost answer, confirms once and with the same token', async () => {
    const shop = await openShop()
    const opened = await openPage(browser(), shop, shop.cardElement())
    await fillIn(opened, '4242 4242 4242 4242')
    const { id, confirm } = await shop.session()
    // The API has heard it; the browser has not heard the API.
    await opened.page.route('**/confirm?*', async (route) => {
      await route.fetch()
      await route.abort('connectionreset')
    })
    const { refused } = await call(opened.page, 'confirm', confirm)
    expect(refused).toMatchObject({ code: 'no_answer', api: null })
    await opened.fields.getByRole('alert').filter({ hasText: 'Try again' }).waitFor()
    await opened.page.unroute('**/confirm?*')
    expect((await call(opened.page, 'confirm', confirm)).value).toMatchObject({ id, status: 'succeeded' })
    expect(shop.tokenized.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  it('tried again after too many attempts, sends the token that the session may have already', async () => {
    const shop = await openShop()
    const opened = await openPage(browser(), shop, shop.cardElement())
    await fillIn(opened, '4242 4242 4242 4242')
    const { confirm } = await shop.session()
    const error = { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Too many requests.' }
    const headers = { 'access-control-allow-origin': '*' }
    await opened.page.route('**/confirm?*', (route) =>
      route.fulfill({ status: 429, headers, json: { error } }),
    )
    expect((await call(opened.page, 'confirm', confirm)).refused?.code).toBe('rate_limit_exceeded')
    await opened.page.unroute('**/confirm?*')
    expect((await call(opened.page, 'confirm', confirm)).value).toMatchObject({ status: 'succeeded' })
    expect(shop.tokenized.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  it('of one session names one token, of another session another', async () => {
    const shop = await openShop()
    const opened = await openPage(browser(), shop, shop.cardElement())
    await fillIn(opened, '4242 4242 4242 4242')
    const [first, second] = [await shop.session(), await shop.session()]
    const asked = () => shop.tokenized.filter(({ method }) => method === 'POST').length
    const confirmed = async ({ confirm }: typeof first) => (await call(opened.page, 'confirm', confirm)).value
    expect([await confirmed(first), asked()]).toEqual([expect.objectContaining({ id: first.id }), 1])
    expect([await confirmed(first), asked()]).toEqual([expect.objectContaining({ id: first.id }), 1])
    expect([await confirmed(second), asked()]).toEqual([expect.objectContaining({ id: second.id }), 2])
  })

  it('tried again with another card, names that one', async () => {
    const shop = await openShop()
    const opened = await openPage(browser(), shop, slow_line + shop.cardElement())
    await fillIn(opened, '4242 4242 4242 4242')
    const { confirm } = await shop.session()
    await opened.page.route('**/confirm?*', (route) => route.abort('connectionreset'))
    await call(opened.page, 'confirm', confirm)
    await opened.page.unroute('**/confirm?*')
    // The page around hears of it only when the button has long been pressed.
    await opened.fields.locator('#number').fill('4000 0000 0000 7726')
    const { value } = await call(opened.page, 'confirm', confirm)
    expect(value).toMatchObject({ card: { last4: '7726' } })
  })

  it('is refused without a right key or secret', async () => {
    const shop = await openShop()
    const opened = await openPage(browser(), shop, shop.cardElement())
    await fillIn(opened, '4242 4242 4242 4242')
    const { confirm } = await shop.session()
    const wrong_key = { ...confirm, publishableKey: 'pk_test_nobody' }
    const { refused } = await call(opened.page, 'confirm', wrong_key)
    expect(refused?.api).toMatchObject({
      code: 'invalid_api_key',
      message: expect.stringContaining('API key'),
    })
    expect(refused?.message).toContain('ask the merchant')
    const wrong_secret = { ...confirm, clientSecret: `${confirm.clientSecret}x` }
    expect((await call(opened.page, 'confirm', wrong_secret)).refused?.code).toBe('invalid_client_secret')
  })
})
