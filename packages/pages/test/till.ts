import type { Engine, Logger, Processor, Scope } from '@quittance/core'
import { simulatedTokenizer } from '@quittance/processor-simulator'
import { createHandler, type HandlerOptions, toNodeListener } from '@quittance/transport-http'
import { openSandbox, type SandboxOptions } from '../../testing/src/builders/sandbox.ts'
import { type HeldProcessor, heldProcessor } from '../../testing/src/ports/held-processor.ts'
import { createTokenizer } from '../src/elements/create-tokenizer.ts'
import { hostedPages } from '../src/hosted-pages.ts'
import { listen } from './listen.ts'

export type Till = Awaited<ReturnType<typeof openTill>>

export interface TillOptions extends SandboxOptions {
  handler?: HandlerOptions
  /** The path that the public address ends with. */
  folder?: string
  /** The forms use Elements, whose frames a tokenizer serves. */
  elements?: boolean
  /** In the place of the sandbox's simulated processor, around it. */
  around?: (processor: Processor) => Processor
}

/** An engine whose pages and API answer on a real socket at its public address; closed with the test. */
export async function openTill({
  handler = {},
  folder = '',
  around,
  elements,
  ...options
}: TillOptions = {}) {
  const { server, origin } = await listen()
  const logged: string[] = []
  const note = (message: string, fields?: object) => void logged.push(`${message} ${JSON.stringify(fields)}`)
  const logger = { info: note, warn: note, error: note }
  const settings: SandboxOptions = { publicUrl: `${origin}${folder}`, rateLimit: false, logger }
  const opened = await openSandbox({ ...settings, ...options })
  const { processor, live_processor: live } = opened
  const sandbox = around ? opened.another({ processors: { sandbox: around(processor), live } }) : opened
  const { engine } = sandbox
  const frames = elements ? await openFrames(origin, logger) : null
  const pages = hostedPages(engine, frames ? { elements: frames.addresses } : {})
  server.on('request', toNodeListener(createHandler(engine, { ...handler, pages })))
  return { ...sandbox, origin, logged, frames_origin: frames?.origin ?? null }
}

/** The same, with every charge held, before it is made or once it is made, until `release` is called. */
export async function openTillHolding(when: 'before' | 'after', options: TillOptions = {}) {
  const hold: Partial<HeldProcessor> = {}
  const till = await openTill({
    ...options,
    around: (processor) => Object.assign(hold, heldProcessor(processor, when)).processor,
  })
  return { ...till, held: hold.held, release: () => hold.release?.() }
}

/** The sandbox's tokenizer on an origin of its own, for pages of this one. */
async function openFrames(parent: string, logger: Logger) {
  const { server, origin } = await listen()
  const tokenizer = createTokenizer({ tokenizer: simulatedTokenizer(), parentOrigins: [parent], logger })
  server.on('request', toNodeListener(tokenizer))
  return { origin, addresses: { card: `${origin}/card`, bankAccount: `${origin}/bank-account` } }
}

/** The address of a page for a new checkout session of 12.50 USD, and the session's id. */
export async function newCheckout({ engine, caller }: Till, given: object = {}) {
  const input = {
    amount: 1250,
    currency: 'USD' as const,
    success_url: 'https://shop.example.com/paid?session={CHECKOUT_SESSION_ID}',
    cancel_url: 'https://shop.example.com/cart',
    ...given,
  }
  const { id, url } = (await engine.checkout_sessions.create(caller, input))._unsafeUnwrap()
  return { id, url: url ?? '' }
}

/** The address of a page for a new invoice of 12.50 USD, and the invoice's id. */
export async function newInvoice({ engine, scope }: Till, given: object = {}) {
  const { id } = await draftInvoice(engine, scope, given)
  const sent = (await engine.admin.invoices.send(scope, { id }))._unsafeUnwrap()
  return { id, url: sent.payment_url ?? '' }
}

let customers_made = 0

async function draftInvoice({ admin }: Engine, scope: Scope, given: object) {
  customers_made += 1
  const person = { name: 'Ada', email: 'ada@example.com', phone: '+1 555 0100' }
  const customer = await admin.customers.create(scope, { reference: `c-${customers_made}`, ...person })
  const dates = { invoice_date: '2026-01-15', due_date: '2026-02-14' }
  const terms = { number: 'INV-7', currency: 'USD' as const, total: 1250, ...dates, ...given }
  return (
    await admin.invoices.draft(scope, { customer: customer._unsafeUnwrap().id, ...terms })
  )._unsafeUnwrap()
}

export interface Shown {
  status: number
  headers: Headers
  html: string
  /** What a payer reads, in one line. */
  text: string
}

export async function visit(url: string, init: RequestInit = {}): Promise<Shown> {
  const response = await fetch(url, { redirect: 'manual', ...init })
  const html = await response.text()
  const body = html.replace(/<(style|title)>[\s\S]*?<\/\1>/g, '').replace(/<[^>]*>/g, ' ')
  const text = unescaped(body).replace(/\s+/g, ' ').trim()
  return { status: response.status, headers: response.headers, html, text }
}

/** What the form for this way to pay would send, with what a payer types into it. */
export function filledIn({ html }: Shown, token: string, typed: Record<string, string> = {}) {
  const method = token.startsWith('btok_') ? 'us_bank_account' : 'card'
  const form = html.match(/<form[\s\S]*?<\/form>/g)?.find((one) => one.includes(`value="${method}"`)) ?? ''
  const hidden = [...form.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
  const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, unescaped(value)]))
  const accepted = form.includes('name="accepted"') ? { accepted: 'yes' } : {}
  return { ...fields, ...accepted, token, name: 'Ada Lovelace', postal_code: '02139', ...typed }
}

/** Sends a form as a browser does from the page itself. */
export function submit(url: string, fields: Record<string, string>, headers: Record<string, string> = {}) {
  const from_page = { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' }
  const body = new URLSearchParams(fields)
  return visit(url, { method: 'POST', body, headers: { ...from_page, ...headers } })
}

/** Opens the page, fills its form in and sends it. */
export async function payAt(url: string, token: string, typed: Record<string, string> = {}): Promise<Shown> {
  return submit(url, filledIn(await visit(url), token, typed))
}

export const hasForm = ({ html }: Shown) => html.includes('<form')

export function unescaped(markup: string): string {
  const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
  return markup.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => named[name] ?? '')
}
