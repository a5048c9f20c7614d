import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Frame } from 'playwright-core'
import { expect } from 'vitest'
import type { Opened } from './shop.ts'

const axe_source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Nothing that axe finds fault with, in the page and in the frame, by day and by night. */
export async function expectAccessible({ page, fields }: Opened): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violations(page.mainFrame(), 'document')).toEqual([])
    // The page shows through the frame, which axe cannot see; the shop's page is as light or dark as the system.
    await fields.evaluate("document.documentElement.style.background = 'Canvas'")
    // Headings and landmarks are the business of the page around.
    expect(await violations(fields, 'document.querySelector("form")')).toEqual([])
  }
}

async function violations(frame: Frame, context: string): Promise<string[]> {
  await frame.evaluate(axe_source)
  const { violations }: AxeResults = await frame.evaluate(`axe.run(${context})`)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
