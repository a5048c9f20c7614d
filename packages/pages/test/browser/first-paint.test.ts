import { describe, expect, it } from 'vitest'
import { browserForFile, sizes } from '../browser.ts'
import { newCheckout, newInvoice, openTill } from '../till.ts'
import { layout_shift, move_when_emptied } from './in-page.ts'

const browser = browserForFile()

describe.each([newCheckout, newInvoice])('the first paint of a page (%o)', (newPage) => {
  it('needs one request of less than 30 KB, and shifts nothing afterwards', async () => {
    const till = await openTill()
    const { url } = await newPage(till)
    const page = await browser().newPage({ viewport: sizes.phone })
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.goto(url, { waitUntil: 'networkidle' })
    expect(asked).toEqual([url])
    const [document] = await page.evaluate<{ transferSize: number }[]>(
      `performance.getEntriesByType('navigation').map((entry) => entry.toJSON())`,
    )
    expect(document?.transferSize).toBeLessThan(30_000)
    expect(await page.evaluate(layout_shift)).toBe(0)
    await page.close()
  })

  it('has its form in place before anything in the form has come in', async () => {
    const { url } = await newPage(await openTill())
    const page = await browser().newPage({ viewport: sizes.phone })
    await page.goto(url)
    expect(await page.evaluate(move_when_emptied('form'))).toBe(0)
    await page.close()
  })
})
