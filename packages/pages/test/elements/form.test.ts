import { describe, expect, it } from 'vitest'
import { browserForFile } from '../browser.ts'
import { call, type Opened, openPage, openShop, type Shop } from './shop.ts'

const browser = browserForFile()

/** A form as a shop may have it, sent by a script that keeps what it holds instead of leaving the page. */
function form(element: string): string {
  return `<form>${element}<label>Name <input name="name" required value="Ada"></label>
<button name="go" value="now">Pay</button></form>
<script>window.sent = []
document.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault()
  window.sent.push(Object.fromEntries(new FormData(event.target, event.submitter)))
})</script>`
}

const sent = ({ page }: Opened) => page.evaluate('window.sent') as Promise<object[]>

const openForm = (shop: Shop, element: string) => openPage(browser(), shop, form(element))

async function fillIn({ fields }: Opened, number = '4242 4242 4242 4242'): Promise<void> {
  await fields.getByLabel('Card number').fill(number)
  await fields.getByLabel('Expiry date').fill('12/34')
  await fields.getByLabel('Security code').fill('123')
}

/** Whatever was told the page by then has moved what it moves. */
const two_frames = 'new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))'

const asked = ({ tokenized }: Shop) => tokenized.filter(({ method }) => method === 'POST').length

describe('an element in a form', () => {
  it('has the form wait for a token, and sends it under its name, with the button that was pressed', async () => {
    const shop = await openShop()
    const opened = await openForm(shop, shop.cardElement('name="token"'))
    await fillIn(opened)
    await opened.page.getByRole('button').click()
    await expect.poll(() => sent(opened)).toEqual([{ token: 'tok_test_visa', name: 'Ada', go: 'now' }])
  })

  it('has no token for the form once its frame has loaded itself again', async () => {
    const shop = await openShop()
    const opened = await openForm(shop, shop.cardElement('name="token"'))
    await fillIn(opened)
    await opened.page.getByRole('button').click()
    const token = () => opened.page.evaluate(`new FormData(document.querySelector('form')).get('token')`)
    await expect.poll(token).toBe('tok_test_visa')
    await opened.fields.evaluate('location.reload()')
    await expect.poll(token).toBe(null)
  })

  it('has the form say that it is busy for as long as it waits for the token', async () => {
    const shop = await openShop()
    const opened = await openForm(shop, shop.cardElement('name="token"'))
    await fillIn(opened)
    await opened.page.evaluate(`window.said = []
new MutationObserver(([{ target }]) => window.said.push([target.ariaBusy, window.sent.length]))
  .observe(document.querySelector('form'), { attributeFilter: ['aria-busy'] })`)
    await opened.page.getByRole('button').click()
    await expect.poll(() => sent(opened)).toHaveLength(1)
    expect(await opened.page.evaluate('window.said')).toEqual([
      ['true', 0],
      [null, 1],
    ])
  })

  it.each([
    [
      'the browser has waited for long',
      `window.setTimeout = (told, ms) => later(told, ms === 30_000 ? 300 : ms)`,
    ],
    [
      'the page comes back',
      `later(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })), 300)`,
    ],
  ])('keeps the form busy while it leads to another page, until %s', async (_, comes) => {
    const shop = await openShop()
    // While a page is waited for, it can be listened to, but Playwright asks it nothing.
    const opened = await openPage(
      browser(),
      shop,
      `<form method="post">${shop.cardElement('name="token"')}<button>Pay</button></form><script>
new MutationObserver(([{ target }]) => console.log('busy: ' + target.ariaBusy))
  .observe(document.forms[0], { attributeFilter: ['aria-busy'] })
const later = setTimeout
// Heard only once there is a token: a frame is given as long to load, and to fill it in takes as long as it takes.
document.forms[0].addEventListener('submit', () => { ${comes} })</script>`,
    )
    const posted: (string | null)[] = []
    await opened.page.route('**/*', (route) => {
      if (route.request().method() === 'POST') posted.push(route.request().url())
      return route.request().isNavigationRequest() ? route.fulfill({ status: 204 }) : route.continue()
    })
    await fillIn(opened)
    await opened.page.keyboard.press('Enter')
    await expect.poll(() => opened.console).toEqual(['busy: true', 'busy: true', 'busy: null'])
    await expect.poll(() => posted).toContain(`${shop.origin}/`)
  })

  it('sends the same token again when it is pressed again before the page it leads to has come', async () => {
    const shop = await openShop()
    const form = `<form method="post">${shop.cardElement('name="token"')}<button>Pay</button></form>`
    const opened = await openPage(browser(), shop, form)
    const asked: string[] = []
    const posted: (string | null)[] = []
    await opened.page.route('**/*', (route) => {
      const request = route.request()
      if (request.url().endsWith('/tokens')) asked.push(request.url())
      if (!request.isNavigationRequest()) return route.continue()
      posted.push(request.postData())
      return route.fulfill({ status: 204 })
    })
    await fillIn(opened)
    await opened.page.keyboard.press('Enter')
    await expect.poll(() => posted.length).toBe(1)
    await opened.page.keyboard.press('Enter')
    await expect.poll(() => posted.length).toBe(2)
    expect(posted[1]).toBe(posted[0])
    expect(asked).toHaveLength(1)
    await opened.fields.getByLabel('Security code').fill('321')
    await opened.page.keyboard.press('Enter')
    await expect.poll(() => posted.length).toBe(3)
    expect(asked).toHaveLength(2)
  })

  it('has Enter in its fields press the button of the form, and do nothing while that is disabled', async () => {
    const shop = await openShop()
    const opened = await openForm(shop, shop.cardElement('name="token"'))
    const { page, fields } = opened
    await fillIn(opened)
    await page.evaluate('document.querySelector("button").disabled = true')
    await fields.getByLabel('Security code').press('Enter')
    await call(page, 'tokenize')
    expect(await sent(opened)).toEqual([])
    await page.evaluate('document.querySelector("button").disabled = false')
    await fields.getByLabel('Security code').press('Enter')
    await expect.poll(() => sent(opened)).toEqual([{ token: 'tok_test_visa', name: 'Ada', go: 'now' }])
  })

  it('has Enter send a form that has no button', async () => {
    const shop = await openShop()
    const opened = await openForm(shop, shop.cardElement('name="token"'))
    await fillIn(opened)
    await opened.page.evaluate('document.querySelector("button").type = "button"')
    await opened.fields.getByLabel('Security code').press('Enter')
    await expect.poll(() => sent(opened)).toEqual([{ token: 'tok_test_visa', name: 'Ada' }])
  })

  it('is sent once by Enter held down', async () => {
    const shop = await openShop()
    const opened = await openForm(shop, shop.cardElement('name="token"'))
    await fillIn(opened)
    await opened.page.keyboard.down('Enter')
    await expect.poll(() => sent(opened)).toHaveLength(1)
    await opened.page.keyboard.down('Enter')
    await opened.page.keyboard.up('Enter')
    await call(opened.page, 'tokenize')
    expect(await sent(opened)).toHaveLength(1)
  })

  it('hears a click on a button whose press has a field say what is wrong with it', async () => {
    const shop = await openShop()
    const opened = await openForm(shop, shop.cardElement('name="token"'))
    const { page, fields } = opened
    await fillIn(opened)
    await fields.getByLabel('Security code').fill('12')
    const button = await page.getByRole('button').boundingBox()
    if (button === null) throw new Error('The button is not shown.')
    await page.mouse.move(button.x + button.width / 2, button.y + button.height / 2)
    await page.mouse.down()
    await fields.getByText('Enter the whole security code.').waitFor()
    await page.evaluate(two_frames)
    await page.mouse.up()
    await expect.poll(() => fields.evaluate('document.hasFocus() && document.activeElement.id')).toBe('cvc')
    await expect.poll(async () => (await page.getByRole('button').boundingBox())?.y).toBeGreaterThan(button.y)
    expect(await sent(opened)).toEqual([])
  })

  it('holds the form back while something is wrong, and says what', async () => {
    const shop = await openShop()
    const opened = await openForm(shop, shop.cardElement('name="token"'))
    const { page, fields } = opened
    await page.getByRole('button').click()
    await fields.getByText('Enter the whole card number.').waitFor()
    await expect.poll(() => fields.evaluate('document.activeElement.id')).toBe('number')
    await fillIn(opened, '4111 1111 1111 1111')
    await page.getByRole('button').click()
    await fields.getByRole('alert').filter({ hasText: 'use a test card' }).waitFor()
    expect(await sent(opened)).toEqual([])
    await fillIn(opened)
    await page.getByRole('button').click()
    await expect.poll(() => sent(opened)).toHaveLength(1)
  })

  it('leaves the form’s own rules before it: nothing is asked of a form that is not filled in', async () => {
    const shop = await openShop()
    const opened = await openForm(shop, shop.cardElement('name="token"'))
    await fillIn(opened)
    await opened.page.getByLabel('Name').fill('')
    await opened.page.getByRole('button').click()
    await opened.page.getByLabel('Name').fill('Grace')
    await opened.page.getByRole('button').click()
    await expect.poll(() => sent(opened)).toEqual([{ token: 'tok_test_visa', name: 'Grace', go: 'now' }])
    expect(asked(shop)).toBe(1)
  })

  it('takes two clicks for one, and a later one for another, with a token of its own', async () => {
    const shop = await openShop()
    const opened = await openForm(shop, shop.cardElement('name="token"'))
    await fillIn(opened)
    const clicked = Promise.withResolvers<void>()
    await opened.page.route('**/tokens', (route) => clicked.promise.then(() => route.continue()))
    await opened.page.getByRole('button').dblclick()
    clicked.resolve()
    await expect.poll(() => sent(opened)).toHaveLength(1)
    expect(asked(shop)).toBe(1)
    await opened.page.getByRole('button').click()
    await expect.poll(() => sent(opened)).toHaveLength(2)
    expect(asked(shop)).toBe(2)
  })

  it('has no part in a form while it is disabled, or has no name', async () => {
    const shop = await openShop()
    for (const attributes of ['name="token" disabled', '']) {
      const opened = await openForm(shop, shop.cardElement(attributes))
      await opened.page.getByRole('button').click()
      expect(await sent(opened)).toEqual([{ name: 'Ada', go: 'now' }])
    }
    expect(asked(shop)).toBe(0)
  })

  it('sends the accepted authorization with the token of an account', async () => {
    const shop = await openShop()
    const authorization =
      '{&quot;text&quot;:&quot;I authorize it.&quot;,&quot;terms_version&quot;:&quot;2026-01&quot;}'
    const element = shop.bankElement(`name="token" authorization="${authorization}"`)
    const opened = await openForm(shop, element)
    await opened.fields.getByLabel('Routing number').fill('110000000')
    await opened.fields.getByLabel('Account number').fill('000123456789')
    await opened.page.getByRole('button').click()
    await opened.page.keyboard.press('Space')
    expect(await sent(opened)).toEqual([])
    await opened.page.getByRole('button').click()
    const account = { token: 'btok_test_success', accepted: 'yes', terms_version: '2026-01' }
    await expect.poll(() => sent(opened)).toEqual([{ ...account, name: 'Ada', go: 'now' }])
  })
})
