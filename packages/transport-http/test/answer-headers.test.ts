import { memoryStore, operationNamed } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import { routes } from '../src/routes.ts'
import { sendRaw } from './echo.ts'
import { confirmPath, newPayment, newSession } from './purchases.ts'
import { openShop, type Reply, type Shop } from './shop.ts'

const origin = 'https://shop.example.com'
const cors = (headers: Headers) => [...headers].filter(([name]) => name.startsWith('access-control-'))
const table = routes.map((route) => [`${route.method} ${route.path}`, route] as const)
const of_the_connection = ['date', 'connection', 'keep-alive']
const session_path = '/payment-method-sessions/x'

function expectCommon({ headers, body }: Reply) {
  expect(headers.get('request-id')).toMatch(/^req_[0-9A-Za-z]{24}$/)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('content-type')).toBe('application/json')
  if (body.error) expect(body.error.request_id).toBe(headers.get('request-id'))
}

/** One answer of each kind that a route gives. */
async function answersOf(shop: Shop, method: string, path: string): Promise<Reply[]> {
  const replies = [null, 'sk_test_unknown', shop.keys.secret, shop.keys.publishable].map((key) =>
    shop.send(method, path, { key, headers: { origin }, ...(method === 'POST' ? { body: '{' } : {}) }),
  )
  return Promise.all(replies)
}

describe.each(table)('%s', (_name, { method, path, operation }) => {
  it('sends the common headers with every answer', async () => {
    const shop = await openShop()
    for (const reply of await answersOf(shop, method, path.replace('{id}', 'x'))) expectCommon(reply)
  })

  it('lets a page read an answer only where a publishable key opens it, and not with a secret key', async () => {
    const shop = await openShop()
    const browser = operationNamed(operation).access.key !== 'secret'
    const replies = await answersOf(shop, method, path.replace('{id}', 'x'))
    const allowed = replies.map(({ headers }) => headers.get('access-control-allow-origin'))
    expect(allowed).toEqual(browser ? ['*', '*', null, '*'] : [null, null, null, null])
    if (!browser) expect(replies.flatMap(({ headers }) => cors(headers))).toEqual([])
  })
})

describe('every other answer', () => {
  it.each([
    ['GET', '/nowhere'],
    ['PUT', '/payments'],
    ['OPTIONS', '/payments'],
    ['DELETE', session_path],
    ['GET', '/payments/%zz'],
    ['GET', '/payments/'],
    ['GET', '//payments'],
    ['GET', '/Payments'],
    ['GET', '/payments/x/y'],
  ])('has the common headers too: %s %s', async (method, path) => {
    const shop = await openShop()
    for (const [place, reply] of (await answersOf(shop, method, path)).entries()) {
      expect(reply.status).toBe([401, 401, 404, 401][place])
      expectCommon(reply)
      expect(cors(reply.headers)).toEqual([])
    }
  })

  it('has them where it succeeds, and as many bytes as it says', async () => {
    const shop = await openShop()
    await newPayment(shop)
    const reply = await shop.send('GET', '/payments')
    expectCommon(reply)
    expect(reply.status).toBe(200)
    expect(reply.headers.get('content-length')).toBe(String(Buffer.byteLength(reply.text)))
  })

  it('never names a host that a request claims', async () => {
    const { port, keys } = await openShop()
    const head = `GET /v1/account HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\nAuthorization: Bearer ${keys.secret}`
    expect(await sendRaw(port, `${head}\r\n\r\n`)).not.toContain('evil')
  })
})

describe('HEAD', () => {
  it.each(['/account', '/payments', '/payments/nobody', '/nowhere', '/payments?limit=0'])(
    'answers like GET without a body: %s',
    async (path) => {
      const { send } = await openShop()
      const [get, head] = [await send('GET', path), await send('HEAD', path)]
      const comparable = ({ status, headers }: Reply) => [
        status,
        Object.fromEntries(
          [...headers].filter(([name]) => !of_the_connection.includes(name) && name !== 'request-id'),
        ),
      ]
      expect(comparable(head)).toEqual(comparable(get))
      expect([head.text, get.text === '']).toEqual(['', false])
    },
  )

  it('posts nothing', async () => {
    const { send } = await openShop()
    expect((await send('HEAD', '/payment-methods/x/detach')).status).toBe(404)
  })
})

describe('a preflight', () => {
  it.each([session_path, `${session_path}/confirm`])(
    'is answered 204 without a key: OPTIONS %s',
    async (path) => {
      const { send } = await openShop()
      const { status, headers, text } = await send('OPTIONS', path, { key: null, headers: { origin } })
      expect([status, text, headers.get('content-type')]).toEqual([204, '', null])
      expect(headers.get('request-id')).toMatch(/^req_/)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('access-control-allow-origin')).toBe('*')
      expect(headers.get('access-control-allow-credentials')).toBeNull()
      expect(headers.get('access-control-allow-methods')?.split(', ')).toContain(
        path.endsWith('x') ? 'GET' : 'POST',
      )
      const allowed = headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
      expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', 'idempotency-key']))
    },
  )

  it.each(['/account', '/payments', '/payment-method-sessions', `${session_path}/cancel`])(
    'is answered like any request elsewhere: OPTIONS %s',
    async (path) => {
      const { send } = await openShop()
      const reply = await send('OPTIONS', path, { key: null, headers: { origin } })
      expect([reply.status, cors(reply.headers)]).toEqual([401, []])
    },
  )
})

describe('configured origins', () => {
  it('may read, and no other origin may', async () => {
    const shop = await openShop({ handler: { origins: [origin, 'https://two.example.com'] } })
    const path = confirmPath(await newSession(shop))
    for (const [method, key] of [
      ['OPTIONS', null],
      ['POST', shop.keys.publishable],
    ] as const) {
      const ask = (headers: Record<string, string>) => shop.send(method, path, { key, headers })
      const [own, foreign, none] = [
        await ask({ origin }),
        await ask({ origin: `${origin}.evil` }),
        await ask({}),
      ]
      expect(own.headers.get('access-control-allow-origin')).toBe(origin)
      expect(foreign.headers.get('access-control-allow-origin')).toBeNull()
      expect(none.headers.get('access-control-allow-origin')).toBeNull()
      // A cache must not give one origin's answer to another.
      for (const { headers } of [own, foreign, none]) expect(headers.get('vary')).toBe('Origin')
    }
  })

  it.each([
    ['https://Shop.example:443/', 'https://shop.example'],
    ['capacitor://localhost', 'capacitor://localhost'],
    ['null', 'null'],
  ])('may be written as %s for what browsers call %s', async (written, origin) => {
    const shop = await openShop({ handler: { origins: [written] } })
    const path = confirmPath(await newSession(shop))
    const { headers } = await shop.send('OPTIONS', path, { key: null, headers: { origin } })
    expect(headers.get('access-control-allow-origin')).toBe(origin)
  })

  it('lets a page read Request-Id, Retry-After and Idempotent-Replayed', async () => {
    const shop = await openShop({ rateLimit: { confirmsPerMinute: 0 } })
    const path = confirmPath(await newSession(shop))
    const { status, headers } = await shop.send('POST', path, {
      key: shop.keys.publishable,
      headers: { origin },
    })
    expect(status).toBe(429)
    const exposed = headers.get('access-control-expose-headers')?.split(', ')
    expect(exposed).toEqual(expect.arrayContaining(['Request-Id', 'Retry-After', 'Idempotent-Replayed']))
  })
})

describe('a fault behind a browser endpoint', () => {
  it('is shown to a page with a publishable key, and not with a secret one', async () => {
    const store = { ...memoryStore() }
    const { send, keys, logged } = await openShop({ store })
    store.read = () => Promise.reject(new Error('the disk is gone'))
    const path = `${session_path}?client_secret=x`
    const publishable = await send('GET', path, { key: keys.publishable, headers: { origin } })
    const secret = await send('GET', session_path, { key: keys.secret, headers: { origin } })
    expect([publishable.status, secret.status, logged.length]).toEqual([500, 500, 2])
    expect(publishable.headers.get('access-control-allow-origin')).toBe('*')
    expect(cors(secret.headers)).toEqual([])
  })
})
