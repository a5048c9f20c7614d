import { catalogue, type ErrorCode, memoryStore, operationNamed, type Store } from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'
import { describe, expect, it } from 'vitest'
import { heldProcessor } from '../../testing/src/ports/held-processor.ts'
import { type Route, routes } from '../src/routes.ts'
import { checkoutErrorCases } from './checkout-error-cases.ts'
import { paymentErrorCases } from './payment-error-cases.ts'
import { confirmedSession, hiddenSession, newSession } from './purchases.ts'
import { refundErrorCases } from './refund-error-cases.ts'
import { sessionErrorCases } from './session-error-cases.ts'
import { openShop, type Reply, type Request, refusal, type Shop } from './shop.ts'
import { webhookErrorCases } from './webhook-error-cases.ts'

const errorTypes = {
  400: ['invalid_request_error', 'idempotency_error', 'card_error'],
  401: ['authentication_error'],
  402: ['card_error'],
  403: ['permission_error'],
  404: ['invalid_request_error'],
  409: ['idempotency_error', 'api_error'],
  429: ['rate_limit_error'],
  500: ['api_error'],
}

const errorCases = [
  ...sessionErrorCases,
  ...paymentErrorCases,
  ...refundErrorCases,
  ...checkoutErrorCases,
  ...webhookErrorCases,
]

const table = routes.map((route) => [`${route.method} ${route.path}`, route] as const)
const posts = table.filter(([, { method }]) => method === 'POST')
const at_browser = ({ operation }: Route) => operationNamed(operation).access.key === 'browser'

/** Asks a route with the key it takes; in the path, and in a query that needs one, a session's id and secret. */
async function ask(
  shop: Shop,
  { method, path, operation }: Route,
  request: Request = {},
  query = '',
): Promise<Reply> {
  const { id, client_secret } = await hiddenSession(shop)
  const browser = at_browser({ method, path, operation })
  const secret = browser ? `?client_secret=${client_secret}&${query}` : `?${query}`
  const key = browser ? shop.keys.publishable : shop.keys.secret
  const body = method === 'POST' ? { body: {} } : {}
  return shop.send(method, path.replace('{id}', id) + secret, { key, ...body, ...request })
}

function expectError(reply: Reply, code: ErrorCode, param?: string) {
  const { type, message } = reply.body.error
  expect(refusal(reply)).toEqual({ status: catalogue[code][0], code, param })
  expect(errorTypes[reply.status as keyof typeof errorTypes]).toContain(type)
  expect(message).toMatch(/^[A-Z].*\.$/s)
  expect(reply.headers.get('www-authenticate')).toBe(reply.status === 401 ? 'Bearer' : null)
}

describe.each(errorCases)('%s', (operation, code, provoke) => {
  it(`answers ${code}`, async () => {
    const reply = await provoke(await openShop())
    expectError(reply, code, reply.body.error.param)
    expect(operationNamed(operation).errors).toContain(code)
  })
})

describe('an operation', () => {
  it('lists no error that it never answers', () => {
    const produced = new Set(errorCases.map(([operation, code]) => `${operation} ${code}`))
    const listed = routes.flatMap(({ operation }) =>
      operationNamed(operation).errors.map((code) => `${operation} ${code}`),
    )
    // `parameter_invalid` is provoked on every route below.
    const missing = listed.filter((one) => !produced.has(one) && !one.endsWith(' parameter_invalid'))
    expect(missing, 'a case in one of the *-error-cases.ts has to provoke each of these').toEqual([])
  })
})

describe.each(table)('%s', (_name, route) => {
  it('answers the errors every route has', async () => {
    const shop = await openShop()
    const { sandbox, newKey, engine } = shop
    expectError(await ask(shop, route, { key: null }), 'api_key_missing')
    expectError(await ask(shop, route, { headers: { authorization: 'Bearer' } }), 'api_key_missing')
    expectError(await ask(shop, route, { key: await shop.revokedKey() }), 'invalid_api_key')
    const off = await engine.admin.workspaces.create({ name: 'Off', api_enabled: false })
    const { key } = await newKey({ workspace: off.id, livemode: false })
    expectError(await ask(shop, route, { key }), 'developer_integrations_disabled')
    const { access } = operationNamed(route.operation)
    if (access.key === 'secret') {
      expectError(await ask(shop, route, { key: shop.keys.publishable }), 'publishable_key_not_allowed')
    }
    const scopeless = (await newKey(sandbox, 'secret', [])).key
    if (!('scope' in access) || access.scope !== null) {
      expectError(await ask(shop, route, { key: scopeless }), 'insufficient_scope')
    }
    const headers = { 'idempotency-key': 'a' }
    expectError(await ask(shop, route, { headers }, 'nonsense=1'), 'parameter_invalid', 'nonsense')
  })

  it('answers rate_limit_exceeded with whole seconds to wait', async () => {
    const shop = await openShop({
      rateLimit: { sandboxPerSecond: 0, livePerSecond: 0, confirmsPerMinute: 0 },
    })
    const reply = await ask(shop, route)
    expectError(reply, 'rate_limit_exceeded')
    expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  })

  it.each(['sandbox', 'live'] as const)(
    'answers api_key_environment_mismatch at a mount for %s only',
    async (environment) => {
      const shop = await openShop({ handler: { environment } })
      const { secret, live } = shop.keys
      const key = environment === 'live' ? secret : live
      expectError(await ask(shop, route, { key }), 'api_key_environment_mismatch')
    },
  )

  it('answers internal_error where the store fails, and logs why under the id of the request', async () => {
    const shop = await openShop({ store: failing(memoryStore(), 'findApiKey') })
    const reply = await ask(shop, route)
    expectError(reply, 'internal_error')
    expect(reply.text).not.toContain('disk')
    expect(shop.logged).toEqual([expect.stringContaining(reply.body.error.request_id)])
    expect(shop.logged[0]).toContain('the disk is gone')
  })
})

describe.each(posts)('%s', (_name, route) => {
  it('answers idempotency_key_invalid and idempotency_key_reused', async () => {
    const shop = await openShop()
    expectError(await ask(shop, route, { headers: { 'idempotency-key': 'a b' } }), 'idempotency_key_invalid')
    const headers = { 'idempotency-key': 'once' }
    await ask(shop, route, { headers, body: { another: 'request' } })
    expectError(await ask(shop, route, { headers }), 'idempotency_key_reused')
  })
})

describe('POST /refunds', () => {
  it('alone answers refunds_disabled: what was refunded before can be read', async () => {
    const { engine, newKey, send } = await openShop()
    const { id } = await engine.admin.workspaces.create({ name: 'Kept', refunds_enabled: false })
    const { key } = await newKey({ workspace: id, livemode: false })
    expect((await send('GET', '/refunds', { key })).status).toBe(200)
    expectError(await send('GET', '/refunds/nobody', { key }), 'resource_missing')
  })
})

describe('POST /payments', () => {
  it.each(['/payments', '/refunds'])('answers idempotency_key_required, like POST %s', async (path) => {
    const { send } = await openShop()
    expectError(await send('POST', path, { body: {} }), 'idempotency_key_required')
  })

  it('answers idempotency_key_in_flight with a second to wait', async () => {
    const { processor, held, release } = heldProcessor(simulatedProcessor(), 'before')
    const shop = await openShop({ processors: { sandbox: processor } })
    const { id } = await confirmedSession(shop)
    const body = { amount: 500, currency: 'USD', payment_method_session: id }
    const request = { body, headers: { 'idempotency-key': 'once' } }
    const first = shop.send('POST', '/payments', request)
    await held
    const second = await shop.send('POST', '/payments', request)
    expectError(second, 'idempotency_key_in_flight')
    expect(second.headers.get('retry-after')).toBe('1')
    release()
    expect((await first).status).toBe(200)
  })

  it('names the failed payment and says why', async () => {
    const shop = await openShop()
    const { id } = await confirmedSession(shop, { token: 'tok_test_insufficient_funds' })
    const body = { amount: 500, currency: 'USD', payment_method_session: id }
    const reply = await shop.send('POST', '/payments', { body, headers: { 'idempotency-key': 'once' } })
    const { payment, decline_code } = reply.body.error
    expect(decline_code).toBe('insufficient_funds')
    const failed = await shop.send('GET', `/payments/${payment}`)
    expect(failed.body).toMatchObject({ id: payment, status: 'failed', failure: { decline_code } })
  })
})

describe('a browser endpoint', () => {
  it('answers for a key of the other environment and for the client secret', async () => {
    const shop = await openShop()
    const { keys, send } = shop
    for (const [live, key] of [
      [true, keys.publishable],
      [false, keys.live_publishable],
    ] as const) {
      const { id } = await newSession(shop, { live })
      const path = `/payment-method-sessions/${id}`
      const own = live ? keys.live_publishable : keys.publishable
      expectError(await send('GET', path, { key }), 'api_key_environment_mismatch')
      expectError(await send('GET', path, { key: own }), 'client_secret_missing')
      expectError(await send('GET', `${path}?client_secret=x`, { key: own }), 'invalid_client_secret')
      expectError(await send('POST', `${path}/confirm`, { key: own }), 'client_secret_missing')
      expectError(
        await send('POST', `${path}/confirm?client_secret=x`, { key: own }),
        'invalid_client_secret',
      )
    }
  })
})

function failing(store: Store, method: 'findApiKey'): Store {
  return { ...store, [method]: () => Promise.reject(new Error('the disk is gone')) }
}
