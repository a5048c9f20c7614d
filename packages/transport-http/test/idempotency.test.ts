import { describe, expect, it } from 'vitest'
import { routes } from '../src/routes.ts'
import { sendRaw } from './echo.ts'
import {
  checkout,
  confirmation,
  confirmedSession,
  confirmPath,
  lastEvent,
  newCheckout,
  newEndpoint,
  newMethod,
  newPayment,
  newSession,
} from './purchases.ts'
import { fresh, openShop, type Request, refusal, type Shop } from './shop.ts'

const pay = (payment_method_session: string) => ({ amount: 500, currency: 'USD', payment_method_session })
const endpoint = { url: 'https://example.com/hooks', enabled_events: ['*'] }

/** A request that succeeds once: how it is sent, by route. */
const requests: Record<string, (shop: Shop) => Promise<[path: string, request: Request]>> = {
  'POST /payments': async (shop) => ['/payments', { body: pay((await confirmedSession(shop)).id) }],
  'POST /refunds': async (shop) => ['/refunds', { body: { payment: (await newPayment(shop)).id } }],
  'POST /checkout-sessions': async () => ['/checkout-sessions', { body: checkout }],
  'POST /checkout-sessions/{id}/expire': async (shop) => [
    `/checkout-sessions/${(await newCheckout(shop)).id}/expire`,
    {},
  ],
  'POST /payment-methods/{id}/detach': async (shop) => [
    `/payment-methods/${(await newMethod(shop)).id}/detach`,
    {},
  ],
  'POST /events/{id}/resend': async (shop) => {
    await newPayment(shop)
    const { id: endpoint } = await newEndpoint(shop)
    return [`/events/${(await lastEvent(shop)).id}/resend`, { body: { endpoint } }]
  },
  'POST /payment-method-sessions': async () => ['/payment-method-sessions', { body: {} }],
  'POST /payment-methods': async (shop) => [
    '/payment-methods',
    { body: { payment_method_session: (await confirmedSession(shop)).id } },
  ],
  'POST /payment-method-sessions/{id}/confirm': async (shop) => [
    confirmPath(await newSession(shop)),
    { body: confirmation('tok_test_visa'), key: shop.keys.publishable },
  ],
  'POST /payment-method-sessions/{id}/cancel': async (shop) => [
    `/payment-method-sessions/${(await newSession(shop)).id}/cancel`,
    {},
  ],
  'POST /webhook-endpoints': async () => ['/webhook-endpoints', { body: endpoint }],
  'POST /webhook-endpoints/{id}': async (shop) => [
    `/webhook-endpoints/${(await newEndpoint(shop)).id}`,
    { body: { description: 'new' } },
  ],
}

describe('an answer under an Idempotency-Key', () => {
  it('is asked for on every route that is posted to', () => {
    const posted = routes.filter(({ method }) => method === 'POST').map(({ path }) => `POST ${path}`)
    expect(Object.keys(requests).sort()).toEqual(posted.sort())
  })

  it.each(Object.entries(requests))('is replayed byte for byte: %s', async (_route, prepare) => {
    const shop = await openShop()
    const [path, request] = await prepare(shop)
    const headers = fresh()
    const first = await shop.send('POST', path, { ...request, headers })
    const second = await shop.send('POST', path, { ...request, headers })
    expect([first.status, first.headers.get('idempotent-replayed')]).toEqual([200, null])
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(second.text).toBe(first.text)
    expect(second.headers.get('request-id')).toMatch(/^req_[0-9A-Za-z]{24}$/)
    expect(second.headers.get('request-id')).not.toBe(first.headers.get('request-id'))
  })

  it.each<[what: string, path: string, body: object | string, status: number]>([
    ['a body that does not parse', '/payments', '{', 400],
    ['a wrong parameter', '/payments', { amount: 0 }, 400],
    ['an unknown id', '/payments', pay('nobody'), 404],
    ['an unknown id in the path', '/payment-methods/nobody/detach', {}, 404],
  ])('keeps the id of the request that met it, for %s', async (_what, path, body, status) => {
    const { send } = await openShop()
    const headers = fresh()
    const first = await send('POST', path, { body, headers })
    const second = await send('POST', path, { body, headers })
    expect([first.status, second.status]).toEqual([status, status])
    expect(first.body.error.request_id).toBe(first.headers.get('request-id'))
    expect(second.text).toBe(first.text)
    expect(second.headers.get('request-id')).not.toBe(first.headers.get('request-id'))
    expect(second.headers.get('idempotent-replayed')).toBe('true')
  })

  it('is of one object: the same body sent to another path is another request', async () => {
    const { send } = await openShop()
    const request = { body: {}, headers: fresh() }
    expect((await send('POST', '/payment-methods/one/detach', request)).status).toBe(404)
    expect(refusal(await send('POST', '/payment-methods/other/detach', request))).toMatchObject({
      status: 400,
      code: 'idempotency_key_reused',
    })
  })

  it('keeps a declined charge, and charges once', async () => {
    const shop = await openShop()
    const body = pay((await confirmedSession(shop, { token: 'tok_test_declined' })).id)
    const headers = fresh()
    const first = await shop.send('POST', '/payments', { body, headers })
    const second = await shop.send('POST', '/payments', { body, headers })
    expect([first.status, second.status, second.text]).toEqual([402, 402, first.text])
    expect((await shop.send('GET', '/payments')).body.data).toHaveLength(1)
  })

  it('keeps a 500, and a new key tries again', async () => {
    let broken = true
    const shop = await openShop({
      on: {
        'payment.succeeded': () => {
          if (broken) throw new Error('the listener is broken')
        },
      },
    })
    const body = pay((await confirmedSession(shop)).id)
    const headers = fresh()
    const first = await shop.send('POST', '/payments', { body, headers })
    broken = false
    const second = await shop.send('POST', '/payments', { body, headers })
    expect(refusal(first)).toMatchObject({ status: 500, code: 'internal_error' })
    expect([second.text, second.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
  })

  it('belongs to the workspace and environment, not to the API key', async () => {
    const shop = await openShop()
    const request = { body: pay((await confirmedSession(shop)).id), headers: fresh() }
    const first = await shop.send('POST', '/payments', request)
    const rotated = await shop.newKey(shop.sandbox)
    const second = await shop.send('POST', '/payments', { ...request, key: rotated.key })
    expect([second.text, second.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    const live = await shop.send('POST', '/payments', { ...request, key: shop.keys.live })
    expect(refusal(live)).toMatchObject({ status: 404, code: 'resource_missing' })
    const other = await openShop({ store: shop.store })
    expect(refusal(await other.send('POST', '/payments', request))).toMatchObject({ status: 404 })
  })

  it.each<[what: string, request: (shop: Shop) => Promise<Request>, status: number]>([
    ['401', async () => ({ key: null }), 401],
    ['403', async ({ newKey, sandbox }) => ({ key: (await newKey(sandbox, 'secret', [])).key }), 403],
  ])('is not kept when it is a %s', async (_what, refusedWith, status) => {
    const shop = await openShop()
    const request = { body: pay((await confirmedSession(shop)).id), headers: fresh() }
    const refused = await shop.send('POST', '/payments', { ...request, ...(await refusedWith(shop)) })
    expect(refused.status).toBe(status)
    expect((await shop.send('POST', '/payments', request)).status).toBe(200)
  })

  it('is ignored where nothing is posted', async () => {
    const shop = await openShop()
    const headers = { 'idempotency-key': 'not a key' }
    expect((await shop.send('GET', '/payments', { headers })).status).toBe(200)
    const { id } = await newEndpoint(shop)
    expect((await shop.send('DELETE', `/webhook-endpoints/${id}`, { headers })).status).toBe(200)
    const again = await shop.send('DELETE', `/webhook-endpoints/${id}`, { headers: fresh() })
    expect(again.status).toBe(404)
  })
})

describe('the same request', () => {
  it.each([
    ['its keys in another order', '{"enabled_events":["*"],"url":"https://example.com/hooks"}'],
    ['other blanks', ' { "url" : "https://example.com/hooks",\n"enabled_events" : [ "*" ] } '],
    ['escapes', '{"url":"https:\\/\\/example.com/hooks","enabled_events":["\\u002a"]}'],
  ])('may be written with %s', async (_what, body) => {
    const { send } = await openShop()
    const headers = fresh()
    const first = await send('POST', '/webhook-endpoints', { body: endpoint, headers })
    const second = await send('POST', '/webhook-endpoints', { body, headers })
    expect([second.text, second.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
  })

  it('may be written as nothing or as {}', async () => {
    const { send } = await openShop()
    const headers = fresh()
    const first = await send('POST', '/payment-method-sessions', { headers })
    expect((await send('POST', '/payment-method-sessions', { headers, body: '{}' })).text).toBe(first.text)
  })

  it('is not one on another path or with another body, even one that does not parse', async () => {
    const shop = await openShop()
    const { send } = shop
    const headers = fresh()
    await send('POST', '/webhook-endpoints', { body: endpoint, headers })
    const others: [path: string, body: object | string][] = [
      ['/payments', endpoint],
      ['/webhook-endpoints/nobody', endpoint],
      ['/webhook-endpoints', { ...endpoint, description: '' }],
      ['/webhook-endpoints', { ...endpoint, enabled_events: ['payment.failed'] }],
      ['/webhook-endpoints', `${JSON.stringify(endpoint)},`],
    ]
    for (const [path, body] of others) {
      const reply = await send('POST', path, { body, headers })
      expect(refusal(reply)).toEqual({ status: 400, code: 'idempotency_key_reused', param: undefined })
    }
    const kept = await send('POST', '/webhook-endpoints', { body: endpoint, headers })
    expect(kept.headers.get('idempotent-replayed')).toBe('true')
  })
})

it.each([
  ['in the order of canonical JSON', '{"enabled_events":["*"],"url":"https://example.com/hooks"}'],
  ['in another order', '{"url":"https://example.com/hooks","enabled_events":["*"]}'],
])('a body with its keys %s is another request under another Content-Type', async (_order, body) => {
  const { send } = await openShop()
  const [json, text] = ['application/json', 'text/plain'].map((type) => ({ 'content-type': type }))
  for (const [first, second] of [
    [json, text],
    [text, json],
  ]) {
    const headers = fresh()
    await send('POST', '/webhook-endpoints', { body, headers: { ...headers, ...first } })
    const reply = await send('POST', '/webhook-endpoints', { body, headers: { ...headers, ...second } })
    expect(refusal(reply)).toMatchObject({ status: 400, code: 'idempotency_key_reused' })
  }
})

describe('an Idempotency-Key', () => {
  it.each(['a', '!', '~', 'x'.repeat(255), '7c9e6679-7425-40de-944b-e07fc1f90ae7', '__proto__'])(
    'may be %j',
    async (key) => {
      const { send } = await openShop()
      const request = { body: {}, headers: { 'idempotency-key': key } }
      expect((await send('POST', '/payment-method-sessions', request)).status).toBe(200)
      expect(
        (await send('POST', '/payment-method-sessions', request)).headers.get('idempotent-replayed'),
      ).toBe('true')
    },
  )

  it.each(['', 'x'.repeat(256), 'a b', 'a\tb', 'é', 'a, a'])('may not be %j', async (key) => {
    const { send } = await openShop()
    const reply = await send('POST', '/payment-method-sessions', { headers: { 'idempotency-key': key } })
    expect(refusal(reply)).toEqual({ status: 400, code: 'idempotency_key_invalid', param: undefined })
  })

  it('may not be sent twice, even with one value', async () => {
    const { port, keys } = await openShop()
    const head = `POST /v1/payment-method-sessions HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${keys.secret}`
    const answer = await sendRaw(port, `${head}\r\nIdempotency-Key: a\r\nIdempotency-Key: a\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*"code":"idempotency_key_invalid"/s)
  })
})
