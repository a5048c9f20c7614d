import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { sizes } from '../browser.ts'
import { measured_flaws, name_of_focused } from './in-page.ts'

export type Payer = Awaited<ReturnType<typeof payerWith>>

/** Someone with a browser and a keyboard, and no pointer. The merchant's shop answers them; nothing else outside does. */
export async function payerWith(
  browser: Browser,
  size: keyof typeof sizes,
  options: BrowserContextOptions = {},
) {
  const phone = size === 'phone' ? { isMobile: true, hasTouch: true, deviceScaleFactor: 2 } : {}
  const context = await browser.newContext({ viewport: sizes[size], locale: 'en-US', ...phone, ...options })
  onTestFinished(() => context.close())
  await context.route(/^https:/, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<h1>The shop</h1>' }),
  )
  return {
    /** Another tab. */
    async open(url: string) {
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('console', (message) => {
        const text = message.text()
        if (message.type() === 'error' && !declined.test(text)) complaints.push(text)
      })
      page.on('pageerror', (fault) => complaints.push(String(fault)))
      page.on('dialog', (dialog) => {
        complaints.push(`a dialog: ${dialog.message()}`)
        return dialog.dismiss()
      })
      await page.goto(url)
      return tabOf(page, complaints)
    },
  }
}

/** Chromium calls every answer from 400 on an error, a declined card too. */
const declined = /^Failed to load resource: the server responded with a status of 4\d\d/

export type Tab = ReturnType<typeof tabOf>

function tabOf(page: Page, complaints: string[]) {
  return {
    page,
    complaints,
    /** What the payer reads, in one line. */
    text: async () => (await page.locator('body').innerText()).replace(/\s+/g, ' '),
    /** Goes on with the Tab key until the control with this name has the focus. */
    reach: (name: string) => reach(page, name),
    type: (name: string, text: string) => type(page, name, text),
    press: (name: string, key?: string) => press(page, name, key),
    /** Fills the fields of a form in, in the order they are in, and sends it with the Enter key. */
    async pay(fields: Record<string, string>) {
      for (const [name, text] of Object.entries(fields)) await type(page, name, text)
      await page.keyboard.press('Enter')
    },
    /** The same for 12.50 USD from a bank account, with the authorization accepted. */
    async payFromAccount() {
      await type(page, 'Sandbox bank account token', 'btok_test_success')
      await type(page, 'Name on account', 'Ada Lovelace')
      await type(page, 'Postal code', '02139')
      await press(page, 'I have read this authorization', 'Space')
      await press(page, 'Pay $12.50 USD')
    },
    arrives: (heading: string) => page.getByRole('heading', { level: 1, name: heading }).waitFor(),
    /** Nothing that an accessibility checker, the browser's policy or a ruler finds fault with, by day and by night. */
    async isFlawless() {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
        expect(await violations(page)).toEqual([])
      }
      expect(await page.evaluate(measured_flaws)).toEqual([])
      expect(complaints).toEqual([])
    },
  }
}

/** What is typed into the sandbox's form for a card. */
export const card = (token: string) => ({
  'Sandbox card token': token,
  'Name on card': 'Ada Lovelace',
  'Postal code': '02139',
})

async function type(page: Page, name: string, text: string): Promise<void> {
  await reach(page, name)
  await page.keyboard.type(text)
}

async function press(page: Page, name: string, key = 'Enter'): Promise<void> {
  await reach(page, name)
  await page.keyboard.press(key)
}

async function reach(page: Page, name: string): Promise<void> {
  const passed: string[] = []
  for (let step = 0; step < 40; step += 1) {
    const focused = await nameOfFocused(page)
    if (focused.startsWith(name)) return
    passed.push(focused)
    await page.keyboard.press('Tab')
    // Into a frame and out of it the focus moves from one process to another, which takes a moment; pressed again
    // meanwhile, Tab would lead past the control.
    const moved = { interval: 5, message: `what has the focus after "${focused}"` }
    await expect.poll(() => nameOfFocused(page), moved).not.toBe(focused)
  }
  throw new Error(`Tab never reached "${name}", only ${passed.join(' | ')}`)
}

/** Of the control that the keyboard talks to, in whichever frame it is. */
async function nameOfFocused(page: Page): Promise<string> {
  for (const frame of page.frames().toReversed()) {
    const name: string = await frame.evaluate(name_of_focused)
    if (name !== '') return name
  }
  return ''
}

const axe_source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe_source)
  const { violations }: AxeResults = await page.evaluate('axe.run(document)')
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}
