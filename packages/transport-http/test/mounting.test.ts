import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createHandler } from '../src/handler.ts'
import { toNodeListener } from '../src/node.ts'
import { listen } from './echo.ts'
import { confirmPath, newPayment, newSession } from './purchases.ts'
import {
  openShop,
  type Reply,
  replyOf,
  type Request as Sent,
  type Shop,
  sender,
  withoutRequestId,
} from './shop.ts'

describe('the API', () => {
  it.each(['/v1', '/v1/', '/billing/v1', '/a/b/c', '/', ''])(
    'answers under %j, and nowhere else',
    async (basePath) => {
      const shop = await openShop()
      const { url } = await listen(toNodeListener(createHandler(shop.engine, { basePath })))
      const base = basePath.replace(/\/$/, '')
      const at = sender(url, shop.keys.secret)
      expect((await at('GET', `${base}/account`)).body.object).toBe('account')
      const outside = ['/elsewhere/account', `${base}/v1/account`, `/x${base}/account`, `/v1${base}x/account`]
      for (const path of outside) {
        const reply = await at('GET', path)
        expect([path, reply.status, reply.body.error.code]).toEqual([path, 404, 'resource_missing'])
      }
    },
  )

  it.each([
    [{ basePath: 'v1' }, '`basePath` begins with a slash, unlike "v1".'],
    [{ environment: 'production' as 'live' }, '`environment` is "sandbox" or "live", not "production".'],
    // A text was searched for the page's origin: https://shop.com could read what was for https://shop.company.
    [
      { origins: 'https://shop.company' as unknown as string[] },
      '`origins` is a list, not "https://shop.company".',
    ],
    // No browser calls itself so: the pages that were meant could read nothing.
    [{ origins: ['*'] }, '`origins` holds "*", which is no origin.'],
    [{ origins: ['https://*.example.com'] }, '`origins` holds "https://*.example.com", which is no origin.'],
    [{ origins: ['shop.example'] }, '`origins` holds "shop.example", which is no origin.'],
    [
      { origins: ['https://shop.example/cart'] },
      '`origins` holds "https://shop.example/cart", which is no origin.',
    ],
  ])('is not mounted with %j, under which it would answer nobody as meant', async (options, message) => {
    const { engine } = await openShop()
    expect(() => createHandler(engine, options)).toThrow(message)
  })

  it('is not mounted without a handler, nor with pages of no engine', async () => {
    const { engine } = await openShop()
    expect(() => toNodeListener(engine as never)).toThrow('A handler is what `createHandler(engine)` gives.')
    expect(() => createHandler(engine, { pages: true as never })).toThrow('`pages` is what `hostedPages(')
  })

  it('gives the same answer at two mounts', async () => {
    const shop = await openShop()
    const { url } = await listen(toNodeListener(createHandler(shop.engine, { basePath: '/billing/v1' })))
    const elsewhere = sender(`${url}/billing/v1`, shop.keys.secret)
    const payment = await newPayment(shop)
    const here = await shop.send('GET', `/payments/${payment.id}`)
    expect((await elsewhere('GET', `/payments/${payment.id}`)).text).toBe(here.text)
  })

  it('serves each environment at a mount of its own', async () => {
    const shop = await openShop()
    const live = await listen(toNodeListener(createHandler(shop.engine, { environment: 'live' })))
    const sandbox = await listen(toNodeListener(createHandler(shop.engine, { environment: 'sandbox' })))
    const { secret, live: live_secret } = shop.keys
    for (const [{ url }, key, status] of [
      [live, live_secret, 200],
      [live, secret, 401],
      [sandbox, secret, 200],
      [sandbox, live_secret, 401],
    ] as const) {
      expect((await sender(`${url}/v1`, key)('GET', '/account')).status).toBe(status)
    }
  })

  it('lives beside the host’s own routes', async () => {
    const shop = await openShop()
    const api = toNodeListener(createHandler(shop.engine))
    const { url } = await listen((req, res) => (req.url === '/health' ? res.end('ok') : api(req, res)))
    expect(await (await fetch(`${url}/health`)).text()).toBe('ok')
    expect((await sender(`${url}/v1`, shop.keys.secret)('GET', '/account')).status).toBe(200)
    expect(createServer(api).listening).toBe(false)
  })
})

describe('the fetch handler', () => {
  const requests: [
    what: string,
    method: string,
    path: (shop: Shop) => Promise<string> | string,
    request?: Sent,
  ][] = [
    ['a success', 'GET', () => '/account'],
    ['a list', 'GET', () => '/payments?limit=1'],
    ['an object', 'GET', async (shop) => `/payments/${(await newPayment(shop)).id}`],
    ['HEAD', 'HEAD', () => '/payments'],
    ['an unknown path', 'GET', () => '/nowhere'],
    ['a broken path', 'GET', () => '/payments/%zz'],
    ['no key', 'GET', () => '/account', { key: null }],
    ['an empty query', 'GET', () => '/payments?'],
    ['a wrong query', 'GET', () => '/payments?limit=%31&limit=2'],
    ['a refused body', 'POST', () => '/payment-methods', { body: { payment_method_session: 1 } }],
    ['a body that does not parse', 'POST', () => '/payment-methods', { body: '{"a":1,"a":2}' }],
    ['bytes that are no text', 'POST', () => '/payment-methods', { body: Uint8Array.of(0x7b, 0xff) }],
    ['a body too large', 'POST', () => '/payment-methods', { body: '{}'.padEnd(262_145) }],
    ['no body', 'POST', () => '/payment-methods'],
    [
      'another content type',
      'POST',
      () => '/payment-methods',
      { body: '{}', headers: { 'content-type': 'text/plain' } },
    ],
    [
      'a preflight',
      'OPTIONS',
      () => '/payment-method-sessions/x',
      { key: null, headers: { origin: 'https://a.example' } },
    ],
    [
      'a malformed Idempotency-Key',
      'POST',
      () => '/payments',
      { body: {}, headers: { 'idempotency-key': 'a b' } },
    ],
  ]

  it.each(requests)(
    'gives the same bytes as over node:http: %s',
    async (_what, method, pathOf, request = {}) => {
      const shop = await openShop()
      const handle = createHandler(shop.engine)
      const path = await pathOf(shop)
      const over_socket = await shop.send(method, path, request)
      const directly = await replyOf(await handle(requestOf(shop, method, path, request)))
      expect(comparable(directly)).toEqual(comparable(over_socket))
    },
  )

  it('opens the browser endpoints too', async () => {
    const shop = await openShop()
    const path = confirmPath(await newSession(shop)).replace('/confirm', '')
    const { publishable: key } = shop.keys
    const directly = await replyOf(await createHandler(shop.engine)(requestOf(shop, 'GET', path, { key })))
    const over_socket = await shop.send('GET', path, { key })
    expect(directly.status).toBe(200)
    expect(comparable(directly)).toEqual(comparable(over_socket))
  })
})

function requestOf(
  shop: Shop,
  method: string,
  path: string,
  { key = shop.keys.secret, body, headers }: Sent,
): Request {
  const said = typeof body === 'object' && !(body instanceof Uint8Array) ? JSON.stringify(body) : body
  return new Request(`https://api.example.com/v1${path}`, {
    method,
    headers: {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...(said === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(said === undefined ? {} : { body: typeof said === 'string' ? said : Uint8Array.from(said) }),
  })
}

/** All of an answer but what is of the connection, and the request's own id. */
function comparable(reply: Reply) {
  const of_the_connection = ['date', 'connection', 'keep-alive', 'request-id']
  const headers = [...reply.headers].filter(([name]) => !of_the_connection.includes(name))
  return { status: reply.status, headers: Object.fromEntries(headers), body: withoutRequestId(reply) }
}
