import type { Server } from 'node:http'
import { simulatedTokenizer } from '@quittance/processor-simulator'
import { createHandler, type HttpHandler, toNodeListener } from '@quittance/transport-http'
import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { openSandbox, type SandboxOptions } from '../../../testing/src/builders/sandbox.ts'
import { createTokenizer } from '../../src/elements/create-tokenizer.ts'
import { elementsScript, serveElementsScript } from '../../src/elements/elements-script.ts'
import { sizes } from '../browser.ts'
import { type Listening, listen } from '../listen.ts'

export type Shop = Awaited<ReturnType<typeof openShop>>

/** What was asked of a server, with all that it could have read. */
export interface Seen {
  method: string
  target: string
  headers: string
  body: string
}

export interface ShopOptions extends SandboxOptions {
  /** Other origins that the frames may be held by; the shop's own is always among them. */
  parents?: string[]
  /** Origins of other frames that the shop's page may hold. */
  other_frames?: string[]
  /** What the shop's page is sent with, besides its policy. */
  headers?: Record<string, string>
}

/** A merchant's page, the API and a tokenizer, each on an origin of its own, as in production; closed with the test. */
export async function openShop({
  parents = [],
  other_frames = [],
  headers = {},
  ...options
}: ShopOptions = {}) {
  const [shop, api, frames] = [await listen(), await listen(), await listen()]
  const logged: string[] = []
  const note = (message: string, fields?: object) => void logged.push(`${message} ${JSON.stringify(fields)}`)
  const logger = { info: note, warn: note, error: note }
  const sandbox = await openSandbox({ publicUrl: api.origin, rateLimit: false, logger, ...options })
  const { engine, scope, caller } = sandbox
  const { key } = (await engine.admin.keys.create(scope, { type: 'publishable' }))._unsafeUnwrap()
  const seen: Seen[] = []
  const tokenized: Seen[] = []
  const document = { html: '' }
  serve(api.server, recorded(seen, createHandler(engine, { basePath: '/v1' }).http))
  const parentOrigins = [shop.origin, ...parents]
  serve(
    frames.server,
    recorded(tokenized, createTokenizer({ tokenizer: simulatedTokenizer(), parentOrigins, logger })),
  )
  const policy = policyOf(api, [frames.origin, ...other_frames])
  const shown = () => ({
    status: 200,
    headers: { ...page_headers, ...policy, ...headers },
    body: document.html,
  })
  serve(
    shop.server,
    recorded(seen, async ({ target }) => serveElementsScript(target) ?? shown()),
  )
  return {
    ...sandbox,
    origin: shop.origin,
    api: `${api.origin}/v1`,
    frames: frames.origin,
    logged,
    /** Every request to the API and to the merchant's page. */
    seen,
    /** Every request to the tokenizer. */
    tokenized,
    /** What the merchant's page is, from now on. */
    put(html: string) {
      document.html = html
    },
    /** A session, and what a page needs to confirm it. */
    async session(input: object = {}) {
      const { id, client_secret, ach_authorization } = (
        await engine.payment_method_sessions.create(caller, input)
      )._unsafeUnwrap()
      const billingDetails = { name: 'Ada Lovelace', postal_code: '02139' }
      return {
        id,
        ach_authorization,
        confirm: { publishableKey: key, clientSecret: client_secret, billingDetails },
      }
    },
    cardElement: (attributes = '') =>
      `<quittance-card frame="${frames.origin}/card" api="${api.origin}/v1" ${attributes}></quittance-card>`,
    bankElement: (attributes = '') =>
      `<quittance-bank-account frame="${frames.origin}/bank-account" api="${api.origin}/v1" ${attributes}></quittance-bank-account>`,
  }
}

export interface Opened {
  page: Page
  fields: Frame
  /** All that the browser has written to its console. */
  console: string[]
  /** The addresses it has asked for. */
  requested: string[]
}

/** Opens the merchant's page with this in its body, and waits until the fields can be used. */
export async function openPage(
  browser: Browser,
  shop: Shop,
  body: string,
  options: BrowserContextOptions & { head?: string; fields?: string } = {},
): Promise<Opened> {
  const { head = '', fields, ...context_options } = options
  const context = await browser.newContext({ viewport: sizes.desktop, locale: 'en-US', ...context_options })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  const console: string[] = []
  page.on('console', (message) => console.push(message.text()))
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url()))
  page.on('pageerror', (fault) => console.push(String(fault)))
  shop.put(merchantPage(body, head))
  await page.goto(shop.origin)
  return { page, fields: await fieldsOf(page, fields), console, requested }
}

/** What an element's method came to, as the merchant's script hears it. */
export async function call(
  page: Page,
  method: 'tokenize' | 'confirm',
  options: object = {},
): Promise<Outcome> {
  return page.evaluate(`document.querySelector('quittance-card, quittance-bank-account').${method}(
    ${JSON.stringify(options)}).then((value) => ({ value, refused: null }),
    ({ code, field, message, api }) => ({ value: null, refused: { code, field, message, api } }))`)
}

export interface Outcome {
  value: unknown
  refused: { code: string; field: string | null; message: string; api: object | null } | null
}

/** The page in the frame. It is in a closed shadow, where no locator of the page around finds it. */
export async function fieldsOf(page: Page, shown = 'form:not([hidden])'): Promise<Frame> {
  const inside = () => page.frames().find((frame) => frame !== page.mainFrame())
  const frame = inside() ?? (await page.waitForEvent('frameattached'))
  await frame.locator(shown).waitFor()
  return frame
}

export function merchantPage(body: string, head = ''): string {
  const { path, integrity } = elementsScript
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>:root{color-scheme:light dark}body{font:1rem/1.5 system-ui;margin:1rem;max-width:30rem}</style>
<script type="module" src="${path}" integrity="${integrity}" crossorigin></script>${head}</head>
<body><main><h1>Pay</h1>${body}</main></body></html>`
}

const page_headers = { 'content-type': 'text/html; charset=utf-8' }

/** The shop's own scripts and styles are inside its page; Elements need neither. */
function policyOf(api: Listening, frames: readonly string[]) {
  const policy = [
    "default-src 'none'",
    "script-src 'self' 'unsafe-inline'",
    "style-src 'unsafe-inline'",
    `connect-src 'self' ${api.origin}`,
    `frame-src ${frames.join(' ')}`,
  ]
  return { 'content-security-policy': policy.join('; ') }
}

export function serve(server: Server, handler: HttpHandler): void {
  server.on('request', toNodeListener(handler))
}

function recorded(seen: Seen[], handler: HttpHandler): HttpHandler {
  return (request) => {
    const { method, target, headers, body } = request
    const text = 'refused' in body ? body.refused : Buffer.from(body).toString()
    seen.push({ method, target, headers: JSON.stringify(headers), body: text })
    return handler(request)
  }
}
