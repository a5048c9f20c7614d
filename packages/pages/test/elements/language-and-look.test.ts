import { describe, expect, it } from 'vitest'
import { browserForFile } from '../browser.ts'
import { call, openPage, openShop } from './shop.ts'

const browser = browserForFile()

describe('the language of an element', () => {
  it.each([
    ['its locale', 'fr', '', 'Numéro de carte'],
    ['the page’s, where it has none', '', 'es-MX', 'Número de tarjeta'],
    ['English, where the page’s is another', 'nl', '', 'Card number'],
  ])('is %s', async (_what, locale, lang, label) => {
    const shop = await openShop()
    const element = shop.cardElement(locale === '' ? '' : `locale="${locale}"`)
    const { fields, page } = await openPage(browser(), shop, `<div lang="${lang || 'en'}">${element}</div>`)
    await fields.getByLabel(label).waitFor()
    await page.evaluate('document.querySelector("quittance-card").setAttribute("locale", "fr")')
    await fields.getByLabel('Numéro de carte').waitFor()
    expect(await fields.evaluate('document.documentElement.lang')).toBe('fr')
  })

  it('is the page’s in a shadow root of the page, too', async () => {
    const shop = await openShop()
    const root = `<template shadowrootmode="open">${shop.cardElement()}</template>`
    const { fields } = await openPage(browser(), shop, `<div lang="fr"><div>${root}</div></div>`)
    await fields.getByLabel('Numéro de carte').waitFor()
  })

  it('is named for what is beside its fields, in a page of another language', async () => {
    const shop = await openShop()
    const authorization =
      '{&quot;text&quot;:&quot;I authorize it.&quot;,&quot;terms_version&quot;:&quot;1&quot;}'
    const element = shop.bankElement(`locale="fr" authorization="${authorization}"`)
    const { page } = await openPage(browser(), shop, element)
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('DOM.enable')
    const { nodes } = await devtools.send('DOM.getFlattenedDocument', { depth: -1, pierce: true })
    const langOf = (name: string, value: string) => {
      const found = nodes.find(({ attributes }) => `${attributes}`.includes(`${name},${value}`))
      const { attributes = [] } = found ?? {}
      return attributes[attributes.indexOf('lang') + 1]
    }
    expect(langOf('class', 'authorization')).toBe('fr')
    expect(langOf('id', 'terms')).toBe('en')
  })

  it('is that of its errors too, those of the sandbox included', async () => {
    const shop = await openShop()
    const { fields, page } = await openPage(browser(), shop, shop.cardElement('locale="es"'))
    expect((await call(page, 'tokenize')).refused?.message).toBe('Introduzca el número de tarjeta completo.')
    await fields.locator('#number').fill('4111 1111 1111 1111')
    await fields.locator('#expiry').fill('12/34')
    await fields.locator('#cvc').fill('123')
    const { refused } = await call(page, 'tokenize')
    expect(refused).toMatchObject({ code: 'test_details_only' })
    expect(refused?.message).toContain('use una tarjeta de prueba')
    expect(await fields.getByRole('alert').innerText()).toBe(refused?.message)
  })
})

describe('the look of an element', () => {
  const look = `(() => {
    const { backgroundColor, borderTopLeftRadius, fontFamily, color } = getComputedStyle(document.querySelector('input'))
    return { backgroundColor, borderTopLeftRadius, fontFamily, color }
  })()`

  it('is set by custom properties, and follows them', async () => {
    const shop = await openShop()
    const style = `<style>quittance-card{font-family:serif;--quittance-color-background:#fff1e0;--quittance-border-radius:2px}
.night{color-scheme:dark;--quittance-color-background:#201000;--quittance-color-text:rgb(255 255 255)}</style>`
    const { fields, page } = await openPage(browser(), shop, shop.cardElement(), { head: style })
    const bright = { backgroundColor: 'rgb(255, 241, 224)', borderTopLeftRadius: '2px', fontFamily: 'serif' }
    expect(await fields.evaluate(look)).toMatchObject(bright)
    await page.evaluate('document.querySelector("quittance-card").className = "night"')
    const dark = { backgroundColor: 'rgb(32, 16, 0)', color: 'rgb(255, 255, 255)' }
    await expect.poll(() => fields.evaluate(look)).toMatchObject(dark)
    expect(await fields.evaluate('getComputedStyle(document.documentElement).colorScheme')).toBe('dark')
  })

  it('is asked for anew where a page that has changed around it sets the class again, as it was', async () => {
    const shop = await openShop()
    const style = '<style>.night{--quittance-color-background:#201000}</style>'
    const { fields, page } = await openPage(browser(), shop, shop.cardElement(), { head: style })
    await page.evaluate(`document.body.className = 'night'
      document.querySelector('quittance-card').className = ''`)
    await expect.poll(() => fields.evaluate(look)).toMatchObject({ backgroundColor: 'rgb(32, 16, 0)' })
    await page.evaluate(`document.body.className = ''
      document.querySelector('quittance-card').className = ''`)
    await expect.poll(() => fields.evaluate(look)).toMatchObject({ backgroundColor: 'rgb(255, 255, 255)' })
  })

  it('is dark where the page says so in its <meta> alone', async () => {
    const shop = await openShop()
    const head = '<style>:root{color-scheme:normal}</style><meta name="color-scheme" content="dark">'
    const { fields } = await openPage(browser(), shop, shop.cardElement(), { head })
    expect(await fields.evaluate(look)).toMatchObject({ backgroundColor: 'rgb(27, 30, 35)' })
  })

  it('takes no value that is none of the property’s kind', async () => {
    const shop = await openShop()
    const style =
      '<style>quittance-card{--quittance-color-background:url(https://evil.example/x);--quittance-spacing:red}</style>'
    const { fields } = await openPage(browser(), shop, shop.cardElement(), { head: style })
    expect(await fields.evaluate('document.documentElement.getAttribute("style")')).not.toMatch(/evil|red/)
    expect(await fields.evaluate(look)).toMatchObject({ backgroundColor: 'rgb(255, 255, 255)' })
  })

  it('is as high as its fields, and moves nothing when they come', async () => {
    const shop = await openShop()
    const { fields, page } = await openPage(browser(), shop, `${shop.cardElement()}<p>below</p>`)
    const height = () => page.evaluate('document.querySelector("quittance-card").offsetHeight')
    const before = await height()
    expect(await fields.evaluate('document.getElementById("fields").offsetHeight')).toBe(before)
    await call(page, 'tokenize')
    await expect.poll(height).toBeGreaterThan(Number(before))
    const needed = await fields.evaluate('document.getElementById("fields").offsetHeight')
    await expect.poll(height).toBe(needed)
    await expect
      .poll(() => fields.evaluate('document.documentElement.scrollHeight <= innerHeight'))
      .toBe(true)
  })

  it('is as high as its fields also after a press whose end the page was never told of', async () => {
    const shop = await openShop()
    const { fields, page } = await openPage(browser(), shop, `<p>above</p>${shop.cardElement()}`)
    await page.getByText('above').hover()
    // macOS ends it in the menu that the press has opened.
    await page.mouse.down({ button: 'right' })
    await page.keyboard.press('Tab')
    await expect
      .poll(() => fields.evaluate('document.hasFocus() && document.activeElement.id'))
      .toBe('number')
    await page.keyboard.type('4242 4242 4242 4241')
    await page.keyboard.press('Tab')
    await fields.getByText('This is not a card number.').waitFor()
    await expect
      .poll(() => fields.evaluate('innerHeight - document.documentElement.scrollHeight'))
      .toBeGreaterThanOrEqual(0)
  })

  it('is whole on a narrow phone where letters are twice the size and every field says what is wrong', async () => {
    const shop = await openShop()
    const head = '<style>quittance-card{--quittance-font-size:2rem}</style>'
    const options = { head, viewport: { width: 320, height: 600 } }
    const { fields, page } = await openPage(browser(), shop, shop.cardElement('locale="fr"'), options)
    await fields.locator('#number').fill('4242 4242 4242 4241')
    await fields.locator('#expiry').fill('13/34')
    await call(page, 'tokenize')
    await expect
      .poll(() => fields.evaluate('innerHeight - document.documentElement.scrollHeight'))
      .toBeGreaterThanOrEqual(0)
    expect(await fields.evaluate('document.getElementById("fields").offsetHeight')).toBeGreaterThan(1_000)
  })

  it('is from left to right in a page that is not, as its languages are', async () => {
    const shop = await openShop()
    const authorization =
      '{&quot;text&quot;:&quot;I authorize it.&quot;,&quot;terms_version&quot;:&quot;1&quot;}'
    const element = shop.bankElement(`authorization="${authorization}"`)
    const { page } = await openPage(browser(), shop, `<div dir="rtl">${element}</div>`)
    const direction = await page.evaluate(
      `getComputedStyle(document.querySelector('quittance-bank-account')).direction`,
    )
    expect(direction).toBe('ltr')
  })
})
