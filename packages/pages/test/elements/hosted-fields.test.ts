import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { browserForFile } from '../browser.ts'
import { listen } from '../listen.ts'
import { call, openPage, openShop, serve } from './shop.ts'

const browser = browserForFile()

/** The page that the documentation gives to those who have a processor with fields of its own. */
function documentedPage(parent: string): string {
  const text = readFileSync(new URL('../../../../docs/elements.md', import.meta.url), 'utf8')
  const page = text.match(/```html\n(<!doctype html>[\s\S]*?)```/)?.[1] ?? ''
  return page.replace('https://shop.example.com', parent)
}

/** A processor's script as such scripts are: one field, and a token for what is in it. */
const processor = `window.processor = {
  mount(selector, { language }) {
    const field = document.createElement('input')
    field.ariaLabel = 'Card (' + language + ')'
    document.querySelector(selector).append(field)
    return {
      focus: () => field.focus(),
      clear: () => { field.value = '' },
      onChange: (tell) => { field.oninput = () =>
        tell({ complete: field.value.length > 3, empty: field.value === '', brand: 'visa' }) },
      createToken: async () => {
        if (field.value === 'away') throw new Error('The processor cannot be reached.')
        if (field.value === '') return { error: { code: 'empty', message: 'Enter a card.' } }
        return { token: field.value === 'old' ? 'tok_test_expired' : 'tok_test_visa' }
      },
    }
  },
}`

async function openProcessor() {
  const { server, origin } = await listen()
  const page = { html: '' }
  serve(server, async ({ target }) =>
    target === '/processor.js'
      ? { status: 200, headers: { 'content-type': 'text/javascript' }, body: processor }
      : { status: 200, headers: { 'content-type': 'text/html' }, body: page.html },
  )
  return { origin, page }
}

/** An element whose frame is the documented page, with the processor's field in it. */
async function openDocumented() {
  const { origin, page } = await openProcessor()
  const shop = await openShop({ other_frames: [origin] })
  page.html = documentedPage(shop.origin)
  const element = `<quittance-card frame="${origin}/card" api="${shop.api}" locale="fr"></quittance-card>`
  return { shop, ...(await openPage(browser(), shop, element, { fields: 'input' })) }
}

describe('a processor’s own fields', () => {
  it('speak with an element as the documentation says', async () => {
    const { shop, page, fields } = await openDocumented()
    expect((await call(page, 'tokenize')).refused).toMatchObject({ code: 'empty', message: 'Enter a card.' })
    await fields.getByLabel('Card (fr)').fill('4242')
    await expect
      .poll(() => page.evaluate(`document.querySelector('quittance-card').matches(':state(complete)')`))
      .toBe(true)
    const { id, confirm } = await shop.session()
    expect((await call(page, 'confirm', confirm)).value).toMatchObject({ id, status: 'succeeded' })
    const height = await fields.evaluate('document.documentElement.offsetHeight')
    await expect
      .poll(() => page.evaluate(`document.querySelector('quittance-card').offsetHeight`))
      .toBe(height)
  })
  it('tell the payer why there is no token, and why the API refused the one there was', async () => {
    const { shop, page, fields } = await openDocumented()
    const field = fields.getByLabel('Card (fr)')
    const alert = fields.getByRole('alert')
    await field.fill('away')
    const refused = { code: 'unavailable', message: 'The processor cannot be reached.' }
    expect((await call(page, 'tokenize')).refused).toMatchObject(refused)
    expect(await alert.innerText()).toBe(refused.message)

    await field.fill('old')
    expect(await alert.innerText()).toBe('')
    const { confirm } = await shop.session()
    expect((await call(page, 'confirm', confirm)).refused).toMatchObject({ code: 'card_expired' })
    await expect.poll(() => alert.innerText()).toContain('Cette carte a expiré.')
  })
})
