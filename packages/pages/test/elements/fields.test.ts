import { describe, expect, it } from 'vitest'
import { browserForFile } from '../browser.ts'
import { call, fieldsOf, type Opened, openPage, openShop } from './shop.ts'

const browser = browserForFile()

/** Keeps what an element tells of itself, for `told` to read. */
const listening = `<script>window.told = []
for (const type of ['ready', 'change', 'error'])
  document.querySelector('quittance-card, quittance-bank-account')
    .addEventListener(type, (event) => window.told.push({ type, ...event.detail }))</script>`

const told = ({ page }: Opened): Promise<{ type: string }[]> => page.evaluate('window.told')

describe('what an element tells the page', () => {
  it('is that it is ready, what the card is, and whether it is complete; never what was typed', async () => {
    const shop = await openShop()
    const opened = await openPage(browser(), shop, shop.cardElement() + listening)
    const { fields } = opened
    await expect.poll(() => told(opened)).toEqual([{ type: 'ready' }])
    expect(opened.requested.filter((url) => url.startsWith(shop.frames))).toEqual([`${shop.frames}/card`])
    await fields.getByLabel('Card number').pressSequentially('378282246310005')
    await fields.getByLabel('Expiry date').pressSequentially('1234')
    await fields.getByLabel('Security code').pressSequentially('7391')
    await fields.getByLabel('Security code').blur()
    const amex = { type: 'change', complete: false, empty: false, brand: 'amex', error: null }
    await call(opened.page, 'tokenize')
    const changes = [{ ...amex, brand: null }, amex, { ...amex, complete: true }]
    expect(await told(opened)).toEqual([{ type: 'ready' }, ...changes])
  })

  it('is also that nothing is typed any more, once it was moved or its page has loaded again', async () => {
    const shop = await openShop()
    const opened = await openPage(browser(), shop, `<div>${shop.cardElement()}</div>${listening}`)
    const { page } = opened
    const again = [
      `document.body.append(document.querySelector('quittance-card'))`,
      `document.querySelector('quittance-card').setAttribute('frame', '${shop.frames}/card?again')`,
    ]
    for (const comes of again) {
      const fields = await fieldsOf(page)
      await fields.locator('#number').fill('4242 4242 4242 4242')
      await fields.locator('#expiry').fill('12/34')
      await fields.locator('#cvc').fill('123')
      await expect.poll(() => page.evaluate(`window.told.at(-1).complete`)).toBe(true)
      await page.evaluate(comes)
      const emptied = { type: 'change', complete: false, empty: true, brand: null, error: null }
      await expect.poll(() => page.evaluate('window.told.slice(-2)')).toEqual([emptied, { type: 'ready' }])
    }
  })

  it('is what is wrong, in words for the payer', async () => {
    const shop = await openShop()
    const opened = await openPage(browser(), shop, shop.cardElement() + listening)
    await opened.fields.getByLabel('Card number').pressSequentially('5555555555554445')
    const error = {
      code: 'number_invalid',
      field: 'number',
      message: 'This is not a card number. Check its digits.',
    }
    await expect
      .poll(async () => (await told(opened)).at(-1))
      .toMatchObject({ type: 'change', complete: false, error })
    expect((await call(opened.page, 'tokenize')).refused).toMatchObject(error)
    expect((await told(opened)).at(-1)).toEqual({ type: 'error', ...error })
  })

  it('is shown by its states, for the page’s style', async () => {
    const shop = await openShop()
    const { page, fields } = await openPage(browser(), shop, shop.cardElement())
    const states = () =>
      expect.poll(() =>
        page.evaluate(`['ready', 'complete', 'invalid', 'focused'].filter((state) =>
        document.querySelector('quittance-card').matches(':state(' + state + ')'))`),
      )
    await states().toEqual(['ready'])
    await fields.getByLabel('Card number').fill('4242 4242 4242 4241')
    await states().toEqual(['ready', 'focused'])
    await fields.getByLabel('Card number').blur()
    await states().toEqual(['ready', 'invalid'])
    await fields.getByLabel('Card number').fill('4242 4242 4242 4242')
    await fields.getByLabel('Expiry date').fill('12/2034')
    await fields.getByLabel('Security code').fill('123')
    await states().toEqual(['ready', 'complete', 'focused'])
  })
})

describe('the fields', () => {
  it.each(['require-corp', 'credentialless'])(
    'can be used in a page that isolates itself (%s)',
    async (embedder) => {
      const headers = {
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-embedder-policy': embedder,
      }
      const shop = await openShop({ headers })
      const { page, fields } = await openPage(browser(), shop, shop.cardElement())
      expect(await page.evaluate('crossOriginIsolated')).toBe(true)
      await fields.locator('#number').fill('4242 4242 4242 4242')
      await fields.locator('#expiry').fill('12/34')
      await fields.locator('#cvc').fill('123')
      expect((await call(page, 'tokenize')).value).toBe('tok_test_visa')
    },
  )

  it('are known to browsers that fill cards in', async () => {
    const shop = await openShop()
    const { fields } = await openPage(browser(), shop, shop.cardElement())
    const inputs = `[...document.querySelectorAll('input')].map(({ autocomplete, inputMode, type }) =>
      [autocomplete, inputMode, type].join(' '))`
    const of = (name: string) => `${name} numeric text`
    expect(await fields.evaluate(inputs)).toEqual([of('cc-number'), of('cc-exp'), of('cc-csc')])
  })

  it('keep what is typed where the page sets the address of their frame again, as it was', async () => {
    const shop = await openShop()
    const { page, fields } = await openPage(browser(), shop, shop.cardElement())
    await fields.locator('#number').fill('4242 4242 4242 4242')
    await page.evaluate(`(async (card) => {
      card.setAttribute('frame', card.getAttribute('frame'))
      await card.tokenize().catch(() => {})
    })(document.querySelector('quittance-card'))`)
    expect(await (await fieldsOf(page)).locator('#number').inputValue()).toBe('4242 4242 4242 4242')
  })

  it('keep the caret where the payer edits', async () => {
    const shop = await openShop()
    const { page, fields } = await openPage(browser(), shop, shop.cardElement())
    const number = fields.getByLabel('Card number')
    await number.pressSequentially('42424242')
    for (let step = 0; step < 6; step += 1) await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('9')
    await page.keyboard.press('Backspace')
    await page.keyboard.press('Backspace')
    const where = await fields.evaluate('document.activeElement.selectionStart')
    const value = await number.inputValue()
    expect(`${value.slice(0, Number(where))}|${value.slice(Number(where))}`).toBe('424|4 242')
  })

  it('take a number as it is pasted', async () => {
    const shop = await openShop()
    const { page, fields } = await openPage(browser(), shop, shop.cardElement())
    await fields.getByLabel('Card number').focus()
    await page.keyboard.insertText('4242-4242 4242 4242')
    expect(await fields.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242 ')
    await fields.getByLabel('Expiry date').focus()
    await page.keyboard.insertText('12/2029')
    await fields.getByLabel('Security code').focus()
    expect(await fields.getByLabel('Card number').inputValue()).toBe('4242 4242 4242 4242')
    expect(await fields.getByLabel('Expiry date').inputValue()).toBe('12 / 29')
  })

  it('are emptied by clear() and by the form’s reset, and closed by disabled', async () => {
    const shop = await openShop()
    const { page, fields } = await openPage(browser(), shop, `<form>${shop.cardElement()}</form>`)
    const number = fields.getByLabel('Card number')
    for (const empty of ['quittance-card").clear()', 'form").reset()']) {
      await number.fill('4242')
      await page.evaluate(`document.querySelector("${empty}`)
      await expect.poll(() => number.inputValue()).toBe('')
    }
    await page.evaluate('document.querySelector("quittance-card").disabled = true')
    await expect.poll(() => number.isDisabled()).toBe(true)
    await page.evaluate('document.querySelector("quittance-card").disabled = false')
    await expect.poll(() => number.isEnabled()).toBe(true)
  })
})

describe('the authorization of an element', () => {
  it('is shown also where the page gave it before the module came, and another one is to be accepted anew', async () => {
    const shop = await openShop()
    const early = `<script>document.querySelector('quittance-bank-account').authorization =
      { text: 'I authorize it.', terms_version: '2026-01' }</script>`
    const { page, fields } = await openPage(browser(), shop, shop.bankElement() + early)
    await fields.getByLabel('Routing number').fill('110000000')
    await fields.getByLabel('Account number').fill('000123456789')
    const accept = async () => {
      expect((await call(page, 'tokenize')).refused?.code).toBe('accept_first')
      await expect.poll(() => fields.evaluate('document.hasFocus()')).toBe(false)
      await page.keyboard.press('Space')
      expect((await call(page, 'tokenize')).value).toBe('btok_test_success')
    }
    await accept()
    await page.evaluate(`document.querySelector('quittance-bank-account').authorization =
      { text: 'I authorize something else.', terms_version: '2026-02' }`)
    await accept()
    await page.evaluate(`document.querySelector('quittance-bank-account').authorization = undefined`)
    expect((await call(page, 'tokenize')).value).toBe('btok_test_success')
  })
})

describe('a tokenizer that does not answer', () => {
  it.each(['abort', 'fail'] as const)(
    'is no fault of the payer’s, and can be asked again (%s)',
    async (how) => {
      const shop = await openShop()
      const { page, fields } = await openPage(browser(), shop, shop.cardElement())
      await page.route('**/tokens', (route) =>
        how === 'abort' ? route.abort() : route.fulfill({ status: 502 }),
      )
      await fields.getByLabel('Card number').fill('4242 4242 4242 4242')
      await fields.getByLabel('Expiry date').fill('12/34')
      await fields.getByLabel('Security code').fill('123')
      const { refused } = await call(page, 'tokenize')
      expect(refused).toMatchObject({ code: 'unavailable', field: null })
      expect(await fields.getByRole('alert').innerText()).toBe(refused?.message)
      expect(await fields.getByLabel('Card number').isEditable()).toBe(true)
      await page.unroute('**/tokens')
      expect((await call(page, 'tokenize')).value).toBe('tok_test_visa')
      expect(await fields.getByRole('alert').innerText()).toBe('')
    },
  )
})
