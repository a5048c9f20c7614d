import { describe, expect, it } from 'vitest'
import { browserForFile, sizes } from '../browser.ts'
import { expectAccessible } from './accessible.ts'
import { call, type Opened, openPage, openShop } from './shop.ts'

const browser = browserForFile()

/** What a merchant writes: a button that confirms, and a place to say what came of it. */
const merchant = (options: object) => `<button>Pay</button><p role="status"></p>
<script>document.querySelector('button').onclick = () =>
  document.querySelector('quittance-card, quittance-bank-account').confirm(${JSON.stringify(options)})
    .then(({ status }) => status, ({ message }) => message)
    .then((text) => { document.querySelector('[role=status]').textContent = text })</script>`

/** Goes on to the next control, which is this one, and types or presses something there. */
async function next(opened: Opened, name: string, keys = ''): Promise<void> {
  await opened.page.keyboard.press('Tab')
  await has(opened, name)
  if (/^\d+$/.test(keys)) await opened.page.keyboard.type(keys)
  else if (keys !== '') await opened.page.keyboard.press(keys)
}

/** The keyboard talks to this control. It moves between processes, which takes a moment. */
async function has({ page, fields }: Opened, name: string): Promise<void> {
  const label = '(document.hasFocus() && document.activeElement?.labels?.[0]?.innerText) || ""'
  const outside = 'document.activeElement.innerText || document.activeElement.localName'
  await expect.poll(async () => (await fields.evaluate(label)) || (await page.evaluate(outside))).toBe(name)
}

describe.each(Object.entries(sizes))('by keyboard alone, on a %s', (_size, viewport) => {
  it('a session is confirmed with a card', async () => {
    const shop = await openShop()
    const { id, confirm } = await shop.session()
    const opened = await openPage(browser(), shop, shop.cardElement() + merchant(confirm), { viewport })
    await expectAccessible(opened)
    await next(opened, 'Card number', '4242424242424242')
    await next(opened, 'Expiry date', '1234')
    await next(opened, 'Security code', '123')
    await next(opened, 'Pay', 'Enter')
    await opened.page.getByRole('status').filter({ hasText: 'succeeded' }).waitFor()
    const { store, scope } = shop
    const session = await store.read(scope, (rows) => rows.payment_method_sessions.get(id))
    expect(session).toMatchObject({ status: 'succeeded', token: 'tok_test_visa', card: { last4: '4242' } })
    expect(session?.billing_details).toEqual({ name: 'Ada Lovelace', postal_code: '02139' })
    expect(opened.console).toEqual([])
  })

  it('a session is confirmed with a bank account, once the authorization shown is accepted', async () => {
    const shop = await openShop()
    const terms = { payment_method_types: ['us_bank_account'], amount: 4_200 }
    const { id, confirm, ach_authorization: shown } = await shop.session(terms)
    const attribute = JSON.stringify(shown).replaceAll('"', '&quot;')
    const element = shop.bankElement(`authorization="${attribute}"`)
    const opened = await openPage(browser(), shop, element + merchant(confirm), { viewport })
    await expectAccessible(opened)
    const read = () => shop.store.read(shop.scope, (rows) => rows.payment_method_sessions.get(id))
    expect(await spoken(opened)).toContain(shown?.text)

    await next(opened, 'Routing number', '110000000')
    await next(opened, 'Account number', '000123456789')
    await next(opened, 'quittance-bank-account')
    // What the frame tells of its fields may come later than the next key: then they are asked for a token first.
    await opened.page.locator('quittance-bank-account:state(complete)').waitFor()
    await next(opened, 'Pay', 'Enter')
    const said = opened.page.getByRole('status')
    await said.filter({ hasText: 'Accept the authorization to pay from this account.' }).waitFor()
    expect(shop.tokenized.filter(({ method }) => method === 'POST')).toEqual([])
    expect((await read())?.ach_authorization?.accepted_at).toBeNull()
    await expectAccessible(opened)

    // The box has the focus: it is ticked where the payer stands.
    await has(opened, 'quittance-bank-account')
    await opened.page.keyboard.press('Space')
    await next(opened, 'Pay', 'Enter')
    await said.filter({ hasText: 'succeeded' }).waitFor()
    const session = await read()
    const now = new Date(shop.clock.now()).toISOString()
    expect(session?.ach_authorization).toEqual({
      ...shown,
      accepted_at: now,
      ip_address: '127.0.0.1',
      user_agent: await opened.page.evaluate('navigator.userAgent'),
    })
    expect(session).toMatchObject({ status: 'succeeded', us_bank_account: { last4: '6789' } })
  })

  it('what is wrong is said and shown at its field, and the first such field has the focus', async () => {
    const shop = await openShop()
    const { confirm } = await shop.session()
    const opened = await openPage(browser(), shop, shop.cardElement() + merchant(confirm), { viewport })
    const { fields, page } = opened
    await next(opened, 'Card number', '4242424242424242')
    await next(opened, 'Expiry date')
    await next(opened, 'Security code')
    await next(opened, 'Pay', 'Enter')
    await page.getByRole('status').filter({ hasText: 'Enter the month and the year.' }).waitFor()
    const expiry = fields.getByLabel('Expiry date')
    await has(opened, 'Expiry date')
    expect(await expiry.getAttribute('aria-invalid')).toBe('true')
    expect(await fields.locator('#expiry-error').innerText()).toBe('Enter the month and the year.')
    expect(await fields.getByLabel('Card number').getAttribute('aria-invalid')).toBe('false')
    await expectAccessible(opened)
    await page.keyboard.type('1234')
    expect(await expiry.getAttribute('aria-invalid')).toBe('false')
    expect(await fields.locator('#expiry-error').innerText()).toBe('')
  })
})

describe('the focus that a refusal brings', () => {
  // Seen on a busy machine: the browser's own message to the frame comes after the element's.
  const givenLate = `document.activeElement.blur(), window.dispatchEvent(new FocusEvent('focus'))`
  const focused = 'document.activeElement.id'

  it('is in the field also where the browser gives it to the frame late, and does not come back to it later', async () => {
    const shop = await openShop()
    const opened = await openPage(browser(), shop, shop.cardElement())
    const { fields } = opened
    await fields.locator('#number').fill('4242 4242 4242 4242')
    expect((await call(opened.page, 'tokenize')).refused).toMatchObject({ field: 'expiry' })
    await expect.poll(() => fields.evaluate(focused)).toBe('expiry')
    await fields.evaluate(givenLate)
    expect(await fields.evaluate(focused)).toBe('expiry')

    await fields.locator('#cvc').focus()
    await fields.evaluate(givenLate)
    expect(await fields.evaluate(focused)).toBe('')
  })
})

describe('the focus of a field', () => {
  it('comes to it once it can be used again, where the page had disabled it for as long as it asked', async () => {
    const shop = await openShop()
    const { page, fields } = await openPage(browser(), shop, shop.cardElement())
    await fields.locator('#number').fill('4242 4242 4242 4242')
    await page.evaluate(`(async (card) => {
      card.disabled = true
      await card.tokenize().catch(() => {})
      card.disabled = false
    })(document.querySelector('quittance-card'))`)
    await expect
      .poll(() => fields.evaluate('document.hasFocus() && document.activeElement.id'))
      .toBe('expiry')
  })
})

describe('digits that are composed by an input method', () => {
  it('are written anew only once they are composed', async () => {
    const shop = await openShop()
    const opened = await openPage(browser(), shop, shop.cardElement())
    const { page, fields } = opened
    const client = await page.context().newCDPSession(page)
    const number = fields.getByLabel('Card number')
    await number.focus()
    for (const text of ['４', '４２', '４２４', '４２４２', '４２４２４'])
      await client.send('Input.imeSetComposition', {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      })
    await expect.poll(() => number.inputValue()).toBe('４２４２４')
    await client.send('Input.insertText', { text: '42424' })
    await expect.poll(() => number.inputValue()).toBe('4242 4')
    await page.keyboard.type('2')
    expect(await number.inputValue()).toBe('4242 42')
  })
})

/** What an assistive technology finds in the page: closed shadows hide nothing from it. */
async function spoken({ page }: Opened): Promise<string> {
  const client = await page.context().newCDPSession(page)
  const { nodes } = await client.send('Accessibility.getFullAXTree')
  return nodes.map(({ name }) => String(name?.value ?? '')).join('\n')
}
