import { describe, expect, it } from 'vitest'
import { confirmPath, newEndpoint, newSession } from './purchases.ts'
import { fresh, openShop, refusal } from './shop.ts'

const refused = (param?: string) => ({ status: 400, code: 'parameter_invalid', param })
const bytes = (...values: number[]) => Uint8Array.from(values)
const nested = (depth: number) => `{"metadata":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
const url = 'https://example.com/hooks'

describe('a body that cannot be read', () => {
  it.each<[what: string, body: string | Uint8Array]>([
    ['a key given twice', '{"customer":"a","customer":"a"}'],
    ['a key given twice, once escaped', '{"customer":"a","cust\\u006fmer":"b"}'],
    ['a key called __proto__', '{"__proto__":{"customer":"a"}}'],
    ['a key called constructor', '{"constructor":{}}'],
    ['NUL', '{"customer":"a\\u0000b"}'],
    ['a lone surrogate', '{"customer":"\\ud800"}'],
    ['invalid UTF-8', bytes(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
    ['a number beyond the finite', '{"amount":1e400}'],
    ['a number beyond 2^53', '{"amount":9007199254740993}'],
    ['a depth of 33', nested(33)],
    ['256 KiB and one byte', `{"customer":"${'a'.repeat(262_144 - 15)}"}`.padEnd(262_145)],
    ['malformed JSON', '{"customer":'],
    ['blanks only', ' '],
    ['an array', '[]'],
    ['a string', '"customer"'],
    ['null', 'null'],
  ])('is refused without naming a parameter: %s', async (_what, body) => {
    const { send } = await openShop()
    const reply = await send('POST', '/payment-method-sessions', { body })
    expect(refusal(reply)).toEqual(refused())
    expect(reply.body.error.message).toMatch(/\S.*\.$/)
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json-patch+json',
  ])('is refused as %s', async (content_type) => {
    const { send } = await openShop()
    const headers = { 'content-type': content_type }
    expect(refusal(await send('POST', '/payment-method-sessions', { body: '{}', headers }))).toEqual(
      refused(),
    )
  })

  it('may have 256 KiB and a depth of 32', async () => {
    const { send } = await openShop()
    expect((await send('POST', '/payment-method-sessions', { body: '{}'.padEnd(262_144) })).status).toBe(200)
    const deep = await send('POST', '/payment-method-sessions', { body: nested(32) })
    expect(refusal(deep)).toEqual(refused('metadata'))
  })

  it('may be empty, which counts as {}', async () => {
    const { send } = await openShop()
    expect((await send('POST', '/payment-method-sessions')).status).toBe(200)
    expect((await send('POST', '/payment-method-sessions', { body: '' })).status).toBe(200)
  })

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset="utf-8"'])(
    'may be sent as %s',
    async (content_type) => {
      const { send } = await openShop()
      const headers = { 'content-type': content_type }
      expect((await send('POST', '/payment-method-sessions', { body: '{}', headers })).status).toBe(200)
    },
  )
})

describe('a parameter of the body', () => {
  const payment = { amount: 500, currency: 'USD', payment_method: 'pm_test_1' }
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, place) => [`key${place}`, 'x']))
  const endpoint = { url, enabled_events: ['*'] }

  it.each<[path: string, body: object, param: string]>([
    ['/payment-method-sessions', { nonsense: 1 }, 'nonsense'],
    ['/payment-method-sessions', { toString: 1 }, 'toString'],
    ['/payment-method-sessions', { customer: null }, 'customer'],
    ['/payment-method-sessions', { customer: '' }, 'customer'],
    ['/payment-method-sessions', { customer: 'a'.repeat(65) }, 'customer'],
    ['/payment-method-sessions', { payment_method_types: 'card' }, 'payment_method_types'],
    ['/payment-method-sessions', { payment_method_types: [] }, 'payment_method_types'],
    ['/payment-method-sessions', { payment_method_types: ['card', 'card'] }, 'payment_method_types'],
    ['/payment-method-sessions', { payment_method_types: ['cash'] }, 'payment_method_types[0]'],
    ['/payment-method-sessions', { payment_method_types: ['us_bank_account'] }, 'amount'],
    ['/payment-method-sessions', { amount: 500 }, 'amount'],
    ['/payment-method-sessions', { currency: 'USD' }, 'currency'],
    ['/payment-method-sessions/x/cancel', { reason: 'a' }, 'reason'],
    ['/payment-methods', {}, 'payment_method_session'],
    ['/payments', {}, 'amount'],
    ['/payments', { ...payment, amount: 0 }, 'amount'],
    ['/payments', { ...payment, amount: 100_000_000 }, 'amount'],
    ['/payments', { ...payment, amount: 1.5 }, 'amount'],
    ['/payments', { ...payment, amount: '500' }, 'amount'],
    ['/payments', { ...payment, currency: 'EUR' }, 'currency'],
    ['/payments', { ...payment, payment_method_session: 'pms_test_1' }, 'payment_method'],
    ['/payments', { amount: 500, currency: 'USD' }, 'payment_method'],
    ['/payments', { ...payment, metadata: [] }, 'metadata'],
    ['/payments', { ...payment, metadata: many }, 'metadata'],
    ['/payments', { ...payment, metadata: { order: 1 } }, 'metadata[order]'],
    ['/payments', { ...payment, metadata: { order: { id: '1' } } }, 'metadata[order]'],
    ['/payments', { ...payment, metadata: { order: 'x'.repeat(501) } }, 'metadata[order]'],
    ['/payments', { ...payment, metadata: { ['k'.repeat(41)]: 'x' } }, `metadata[${'k'.repeat(41)}]`],
    ['/webhook-endpoints', { enabled_events: ['*'] }, 'url'],
    ['/webhook-endpoints', { url }, 'enabled_events'],
    ['/webhook-endpoints', { ...endpoint, url: 'http://example.com' }, 'url'],
    ['/webhook-endpoints', { ...endpoint, url: 'https://localhost' }, 'url'],
    ['/webhook-endpoints', { ...endpoint, url: `https://example.com/${'a'.repeat(2030)}` }, 'url'],
    ['/webhook-endpoints', { url, enabled_events: [] }, 'enabled_events'],
    ['/webhook-endpoints', { url, enabled_events: ['*', 'payment.failed'] }, 'enabled_events'],
    [
      '/webhook-endpoints',
      { url, enabled_events: ['payment.failed', 'payment.succeeded', 'nonsense'] },
      'enabled_events[2]',
    ],
    ['/webhook-endpoints', { ...endpoint, description: 'x'.repeat(501) }, 'description'],
    ['/webhook-endpoints/x', { status: 'paused' }, 'status'],
    ['/webhook-endpoints/x', { id: 'y' }, 'id'],
    ['/events/x/resend', {}, 'endpoint'],
    ['/events/x/resend', { endpoint: 1 }, 'endpoint'],
  ])('is named where it is wrong: %s %j', async (path, body, param) => {
    const { send } = await openShop()
    expect(refusal(await send('POST', path, { body, headers: fresh() }))).toEqual(refused(param))
  })

  it.each<[body: object, param: string]>([
    [{ card: {}, billing_details: { name: 'A', postal_code: '1' } }, 'card.token'],
    [{ card: { token: 'x', brand: 'visa' }, billing_details: { name: 'A', postal_code: '1' } }, 'card.brand'],
    [{ card: { token: 'tok_nothing' }, billing_details: { name: 'A', postal_code: '1' } }, 'card.token'],
    [{ card: { token: 'tok_test_visa' }, billing_details: { name: 'A' } }, 'billing_details.postal_code'],
    [
      { us_bank_account: { token: 'x' }, billing_details: { name: 'A', postal_code: '1' } },
      'us_bank_account',
    ],
    [{ billing_details: { name: 'A', postal_code: '1' } }, 'card'],
  ])('is named by its path in a confirmation: %j', async (body, param) => {
    const shop = await openShop()
    const path = confirmPath(await newSession(shop))
    const reply = await shop.send('POST', path, { body, key: shop.keys.publishable })
    expect(refusal(reply)).toEqual(refused(param))
  })
})

describe('a query parameter', () => {
  const lists = [
    '/payments',
    '/refunds',
    '/checkout-sessions',
    '/invoices',
    '/customers',
    '/payment-methods',
    '/webhook-endpoints',
    '/events',
  ]

  it.each(['020', '1e1', '0', '101', '1.0', '+1', '%201', '', '-1', '0x10', '1_0', '9999999999'])(
    'limit is written in plain digits from 1 to 100, unlike %j',
    async (limit) => {
      const { send } = await openShop()
      for (const path of lists) {
        expect(refusal(await send('GET', `${path}?limit=${limit}`))).toEqual(refused('limit'))
      }
    },
  )

  it.each(['1', '20', '100'])('limit may be %s', async (limit) => {
    const { send } = await openShop()
    for (const path of lists) expect((await send('GET', `${path}?limit=${limit}`)).status).toBe(200)
  })

  it.each([
    ['limit=1&limit=1', 'limit'],
    ['limit=1&li%6dit=2', 'limit'],
    ['nonsense=1', 'nonsense'],
    ['__proto__=1', '__proto__'],
    ['constructor=1', 'constructor'],
    ['limit=%FF', 'limit'],
    ['starting_after=', 'starting_after'],
    ['starting_after=nobody', 'starting_after'],
    [`starting_after=${'a'.repeat(65)}`, 'starting_after'],
  ])('is refused on every list: %s', async (query, param) => {
    const { send } = await openShop()
    for (const path of lists) expect(refusal(await send('GET', `${path}?${query}`))).toEqual(refused(param))
  })

  it.each([
    ['/events?type=nonsense', 'type'],
    ['/events?type=*', 'type'],
    ['/events?type=', 'type'],
    ['/payments?status=paid', 'status'],
    ['/payments?type=card', 'type'],
    [`/payments?customer=${'a'.repeat(101)}`, 'customer'],
    ['/account?limit=1', 'limit'],
    ['/payments/x?id=y', 'id'],
  ])('is refused where it does not belong or fit: %s', async (path, param) => {
    const { send } = await openShop()
    expect(refusal(await send('GET', path))).toEqual(refused(param))
  })

  it('has no place beside a body or on a deletion', async () => {
    const shop = await openShop()
    const created = await shop.send('POST', '/payment-method-sessions?customer=a', { body: {} })
    expect(refusal(created)).toEqual(refused('customer'))
    const { id } = await newEndpoint(shop)
    expect(refusal(await shop.send('DELETE', `/webhook-endpoints/${id}?force=1`))).toEqual(refused('force'))
    expect((await shop.send('GET', `/webhook-endpoints/${id}`)).status).toBe(200)
  })
})
