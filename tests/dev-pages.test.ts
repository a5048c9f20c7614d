import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Frame, Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openFrames } from '../packages/cli/src/frames.ts'
import { browserForFile } from '../packages/pages/test/browser.ts'
import { bareStart, type DevServer, startServer, temporaryHome } from './server/dev-server.ts'

const browser = browserForFile()

async function start(home: string): Promise<DevServer> {
  const server = await startServer(bareStart(), home)
  onTestFinished(() => server.destroy())
  return server
}

function newHome(): string {
  const { home, remove } = temporaryHome()
  onTestFinished(remove)
  return home
}

async function visit(url: string): Promise<Page> {
  const context = await browser().newContext({ locale: 'en-US' })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(url)
  return page
}

/** The page in the frame that has this field, once it can be used. */
async function frameWith(page: Page, label: string): Promise<Frame> {
  const inside = async () => {
    for (const frame of page.frames())
      if (await frame.getByLabel(label, { exact: true }).isVisible()) return frame
    return null
  }
  await expect.poll(inside).not.toBeNull()
  const frame = await inside()
  if (frame === null) throw new Error(`No frame has ${label}.`)
  return frame
}

async function fillCard(page: Page, number = '4242 4242 4242 4242'): Promise<void> {
  const fields = await frameWith(page, 'Card number')
  await fields.getByLabel('Card number').fill(number)
  await fields.getByLabel('Expiry date').fill('12/34')
  await fields.getByLabel('Security code').fill('123')
}

/** On a hosted page, in whatever state it leaves it. */
async function payOnPage(url: string): Promise<Page> {
  const page = await visit(url)
  await fillCard(page)
  await page.getByLabel('Name on card').fill('Ada Lovelace')
  await page.locator('form:visible').getByLabel('Postal code').fill('02139')
  await Promise.all([
    page.waitForURL(/paid|pay\//),
    page.getByRole('button', { name: /^Pay / }).first().click(),
  ])
  await expect
    .poll(async () => (await page.locator('form').count()) === 0 || page.url().includes('/demo'))
    .toBe(true)
  return page
}

describe('the pages that the development server prints', () => {
  it('take a test card at once, and are new ones after a restart once they were paid', async () => {
    const home = newHome()
    const before = await start(home)
    const { shop_url, checkout_url, invoice_url } = before.demo
    expect(new URL(before.tokenizer_url).port).not.toBe(new URL(before.base_url).port)
    const thanked = await payOnPage(checkout_url)
    await thanked.getByRole('status').filter({ hasText: 'Thank you.' }).waitFor()
    await payOnPage(invoice_url)

    const shop = await visit(shop_url)
    await fillCard(shop)
    await shop.getByRole('button').click()
    await shop.getByRole('status').filter({ hasText: 'Payment succeeded.' }).waitFor()
    await before.stop('SIGTERM')

    const paid = await start(home)
    const path = (url: string) => new URL(url).pathname
    expect(path(paid.demo.checkout_url)).not.toBe(path(checkout_url))
    expect(path(paid.demo.invoice_url)).not.toBe(path(invoice_url))
    await paid.stop('SIGTERM')
    const unpaid = await start(home)
    expect(path(unpaid.demo.checkout_url)).toBe(path(paid.demo.checkout_url))
    expect(path(unpaid.demo.invoice_url)).toBe(path(paid.demo.invoice_url))
  })

  it('take another card after one was declined', async () => {
    const { demo } = await start(newHome())
    const page = await visit(demo.shop_url)
    const said = page.getByRole('status')
    for (const number of ['4000 0000 0000 0002', '4000 0000 0000 9995']) {
      await fillCard(page, number)
      await page.getByRole('button').click()
      await said.filter({ hasText: /declined|insufficient/ }).waitFor()
      await expect.poll(() => page.getByRole('button').isEnabled()).toBe(true)
    }
    await fillCard(page)
    await page.getByRole('button').click()
    await said.filter({ hasText: 'Payment succeeded.' }).waitFor()
  })

  it('ask for the same payment again where its answer was lost, whatever is typed meanwhile', async () => {
    const { demo } = await start(newHome())
    const page = await visit(demo.shop_url)
    const charged: string[] = []
    await page.route('**/demo/pay', async (route) => {
      const response = await route.fetch()
      charged.push((await response.json()).id)
      if (charged.length === 1) await route.abort('connectionreset')
      else await route.fulfill({ response })
    })
    await fillCard(page)
    await page.getByRole('button').click()
    await expect.poll(() => charged).toHaveLength(1)
    await expect.poll(() => page.getByRole('button').isEnabled()).toBe(true)
    await fillCard(page, '5555 5555 5555 4444')
    await page.getByRole('button').click()
    await page.getByRole('status').filter({ hasText: 'Payment succeeded.' }).waitFor()
    expect(charged[1]).toBe(charged[0])
  })

  it('take a bank account once its holder has accepted the authorization', async () => {
    const { demo } = await start(newHome())
    const page = await visit(`${demo.shop_url}?method=us_bank_account`)
    const fields = await frameWith(page, 'Routing number')
    await fields.getByLabel('Routing number').fill('110000000')
    await fields.getByLabel('Account number').fill('000123456789')
    const said = page.getByRole('status')
    await page.getByRole('button').click()
    await expect.poll(() => page.evaluate('document.activeElement.localName')).toBe('quittance-bank-account')
    // The element has said why.
    await expect.poll(() => said.textContent()).toBe('')
    await page.keyboard.press('Space')
    await page.getByRole('button').click()
    await said.filter({ hasText: 'Payment processing.' }).waitFor()
  })

  it('have their frames at the next port, or at another where that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    onTestFinished(() => void taken.close())
    const { port } = taken.address() as AddressInfo
    const page_origins = ['http://localhost:3000']
    const { server, origin } = await openFrames({ port: port - 1, page_origins }, 'http://127.0.0.1:4242')
    onTestFinished(() => void server.close())
    expect(new URL(origin).port).not.toBe(String(port))
    const policy = (await fetch(`${origin}/card`)).headers.get('content-security-policy')
    const pages = 'http://127.0.0.1:4242 http://localhost:4242 http://localhost:3000'
    expect(policy).toContain(`frame-ancestors ${pages}`)
  })
})
