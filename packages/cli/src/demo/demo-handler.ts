import { type Engine, statusOf } from '@quittance/core'
import type { HttpHandler, HttpRequest, HttpResponse } from '@quittance/transport-http'
import { must } from '../must.ts'
import { demo_script, demo_style_source, demoPage, thanksPage } from './demo-page.ts'
import { book, type DemoShop, sandboxOf } from './demo-shop.ts'

interface Demo {
  engine: Engine
  shop: DemoShop
  /** The origin of the frames. */
  frames: string
}

/** The server of a merchant with its own page: it creates sessions and charges them, and never sees a card number. */
export function demoHandler(demo: Demo): HttpHandler {
  return async (request) => {
    const { method, target } = request
    const { pathname, searchParams } = new URL(target, demo.engine.publicUrl)
    const type = searchParams.get('method') === 'us_bank_account' ? 'us_bank_account' : 'card'
    if (method === 'GET' && pathname === '/demo') {
      const paid = await isPaid(demo, searchParams.get('paid'))
      return page(paid ? thanksPage() : demoPage(type, demo), demo)
    }
    if (method === 'GET' && pathname === '/demo/shop.js')
      return answer('text/javascript; charset=utf-8', demo_script)
    if (method !== 'POST') return refuse(404, 'There is no such page.')
    const body = readBody(request)
    if (body === null) return refuse(400, 'Send JSON from the page itself.')
    if (pathname === '/demo/session') return json(200, await makeSession(demo, body))
    if (pathname === '/demo/pay') return pay(demo, body)
    return refuse(404, 'There is no such page.')
  }
}

/** Asks the API: an address that says so proves nothing. */
async function isPaid({ engine, shop }: Demo, checkout_session: string | null): Promise<boolean> {
  if (checkout_session === null) return false
  const caller = await engine.caller(sandboxOf(shop))
  const found = await engine.checkout_sessions.retrieve(caller, { id: checkout_session })
  return found.isOk() && found.value.status === 'complete'
}

const { amount, currency } = book

/** The session has the amount: for a bank debit it is part of what the account holder accepts. */
async function makeSession({ engine, shop }: Demo, { method }: Record<string, unknown>) {
  const bank = method === 'us_bank_account'
  const session = must(
    await engine.payment_method_sessions.create(
      await engine.caller(sandboxOf(shop)),
      bank ? { payment_method_types: ['us_bank_account'], amount, currency } : {},
    ),
  )
  const { client_secret, ach_authorization: authorization } = session
  return { client_secret, authorization, publishable_key: shop.publishable_key }
}

/** The key is derived from the session, so a second click charges nothing more. The status tells the page what to do next. */
async function pay({ engine, shop }: Demo, { session }: Record<string, unknown>): Promise<HttpResponse> {
  const caller = await engine.caller(sandboxOf(shop))
  const paid = await engine.payments.create(
    caller,
    { amount, currency, payment_method_session: String(session) },
    { idempotency_key: `demo-${session}` },
  )
  return paid.match(
    ({ id, status }) => json(200, { id, status }),
    ({ code, message }) => json(statusOf(code), { error: { code, message } }),
  )
}

/** Null if another site may have sent it. */
function readBody({ headers, body }: HttpRequest): Record<string, unknown> | null {
  const site = headers['sec-fetch-site']
  if ((site !== undefined && site !== 'same-origin') || headers['content-type'] !== 'application/json')
    return null
  try {
    return 'refused' in body ? null : { ...(JSON.parse(Buffer.from(body).toString()) as object) }
  } catch {
    return null
  }
}

function page(body: string, { frames }: Demo): HttpResponse {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src ${demo_style_source}`,
    'img-src data:',
    "connect-src 'self'",
    `frame-src ${frames}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
  const response = answer('text/html; charset=utf-8', body)
  return { ...response, headers: { ...response.headers, 'content-security-policy': policy } }
}

function refuse(status: number, message: string): HttpResponse {
  return json(status, { error: { message } })
}

function json(status: number, body: object): HttpResponse {
  return { ...answer('application/json', JSON.stringify(body)), status }
}

function answer(type: string, body: string): HttpResponse {
  const headers = {
    'content-type': type,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
  return { status: 200, headers, body }
}
