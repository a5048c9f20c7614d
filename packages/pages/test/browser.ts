import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import npmChromium from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'

/** The two sizes that everything shown to a payer is tested at, in CSS pixels. */
export const sizes = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 844 },
} as const

/** One browser for all tests of a file: opened before the first and closed after the last. Ask for it inside a test. */
export function browserForFile(): () => Browser {
  let browser: Browser | null = null
  beforeAll(async () => {
    browser = await openBrowser()
  }, 60_000)
  afterAll(() => browser?.close())
  return () => {
    if (browser === null) throw new Error('The browser opens before the first test, not before.')
    return browser
  }
}

/** A real Chromium without a window: `CHROMIUM_PATH`, else one on the PATH, else the one that npm installed. */
async function openBrowser(): Promise<Browser> {
  const executablePath =
    process.env.CHROMIUM_PATH ||
    onPath(['chromium', 'chromium-browser']) ||
    (await npmChromium.executablePath())
  return chromium.launch({ executablePath, args })
}

/** It asks nobody for anything but what the pages ask for; containers that run as root allow it no sandbox of its own. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

function onPath(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path))
}
