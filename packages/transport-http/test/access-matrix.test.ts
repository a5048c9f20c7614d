import { type KeyScope, keyScopes, type OperationName, operationNamed, operationNames } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import { type Route, routes } from '../src/routes.ts'
import {
  lastEvent,
  newCheckout,
  newCustomer,
  newEndpoint,
  newInvoice,
  newMethod,
  newPayment,
  newRefund,
  newSession,
} from './purchases.ts'
import { openShop, type Reply, type Shop, withoutRequestId } from './shop.ts'

/** What a route answers a key: `passed` is anything that comes after the permission. */
type Verdict = 'passed' | `${401 | 403} ${string}`

/** The scope of each route, from the contract; null: any key. */
const scopes: Record<string, KeyScope | null> = {
  'GET /account': null,
  'GET /invoices': 'payments:read',
  'GET /invoices/{id}': 'payments:read',
  'GET /customers': 'payments:read',
  'GET /customers/{id}': 'payments:read',
  'POST /refunds': 'payments:write',
  'GET /refunds': 'payments:read',
  'GET /refunds/{id}': 'payments:read',
  'POST /checkout-sessions': 'payments:write',
  'GET /checkout-sessions': 'payments:read',
  'GET /checkout-sessions/{id}': 'payments:read',
  'POST /checkout-sessions/{id}/expire': 'payments:write',
  'POST /payment-method-sessions': 'payment_methods:write',
  'GET /payment-method-sessions/{id}': 'payment_methods:read',
  'POST /payment-method-sessions/{id}/confirm': 'payment_methods:tokenize',
  'POST /payment-method-sessions/{id}/cancel': 'payment_methods:write',
  'POST /payment-methods': 'payment_methods:write',
  'GET /payment-methods': 'payment_methods:read',
  'GET /payment-methods/{id}': 'payment_methods:read',
  'POST /payment-methods/{id}/detach': 'payment_methods:write',
  'POST /payments': 'payments:write',
  'GET /payments': 'payments:read',
  'GET /payments/{id}': 'payments:read',
  'POST /webhook-endpoints': 'webhooks:write',
  'GET /webhook-endpoints': 'webhooks:read',
  'GET /webhook-endpoints/{id}': 'webhooks:read',
  'POST /webhook-endpoints/{id}': 'webhooks:write',
  'DELETE /webhook-endpoints/{id}': 'webhooks:write',
  'GET /events': 'webhooks:read',
  'GET /events/{id}': 'webhooks:read',
  'POST /events/{id}/resend': 'webhooks:write',
}
const browser = ['GET /payment-method-sessions/{id}', 'POST /payment-method-sessions/{id}/confirm']

/** What can be in a path, by the first word of the route. */
const owned: Record<string, (shop: Shop, live: boolean) => Promise<{ id: string }>> = {
  'payment-method-sessions': (shop, live) => newSession(shop, { live }),
  'payment-methods': (shop, live) => newMethod(shop, { live }),
  payments: (shop, live) => newPayment(shop, { live }),
  refunds: (shop, live) => newRefund(shop, { live }),
  'checkout-sessions': (shop, live) => newCheckout(shop, { live }),
  invoices: async (shop, live) => ({ id: await newInvoice(shop, { live }) }),
  customers: async (shop, live) => ({ id: await newCustomer(shop, 'c-1', live ? shop.live : shop.sandbox) }),
  'webhook-endpoints': (shop, live) => newEndpoint(shop, { live }),
  events: async (shop, live) => {
    await newPayment(shop, { live })
    return lastEvent(shop, { live })
  },
}
const nonsense = [
  'nobody',
  `pay_test_${'0'.repeat(24)}`,
  'a'.repeat(65),
  'a%2Fb',
  '%E2%82%AC',
  '..%2F..',
  '0',
  '*',
]

const nameOf = ({ method, path }: Route) => `${method} ${path}`
/** An operation of the hosted pages has no route here. */
const isRouted = (name: OperationName) => 'scope' in operationNamed(name).access || name.endsWith('.confirm')
const table = routes.map((route) => [nameOf(route), route] as const)
const withId = table.filter(([, { path }]) => path.includes('{id}'))

describe('the route table', () => {
  it('has a line of this matrix for every route, and a route for every operation', () => {
    expect(table.map(([name]) => name).sort()).toEqual(Object.keys(scopes).sort())
    expect(routes.map(({ operation }) => operation).sort()).toEqual(operationNames.filter(isRouted).sort())
    const open = routes.filter(({ operation }) => operationNamed(operation).access.key !== 'secret')
    expect(open.map(nameOf)).toEqual(browser)
  })
})

describe.each(table)('%s', (name, route) => {
  it('opens to its scope alone', async () => {
    const shop = await openShop()
    const needed = scopes[name] ?? null
    for (const scope of keyScopes) {
      const { key } = await shop.newKey(shop.sandbox, 'secret', [scope])
      const verdict = needed === null || needed === scope ? 'passed' : '403 insufficient_scope'
      expect([scope, verdictOf(await ask(shop, route, { key }))]).toEqual([scope, verdict])
    }
    const { key } = await shop.newKey(shop.sandbox, 'secret', [])
    expect(verdictOf(await ask(shop, route, { key }))).toBe(
      needed === null ? 'passed' : '403 insufficient_scope',
    )
  })

  it('knows who asks', async () => {
    const shop = await openShop()
    for (const [who, key, verdict] of await identities(shop, name)) {
      expect([who, verdictOf(await ask(shop, route, { key }))]).toEqual([who, verdict])
    }
  })
})

describe.each(withId)('%s', (name, route) => {
  const browser_only = name === 'POST /payment-method-sessions/{id}/confirm'
  const make = owned[route.path.split('/')[1] ?? '']

  it('answers for an object of another workspace, of the other environment and of nothing alike', async () => {
    const shop = await openShop()
    const other = await openShop({ store: shop.store })
    if (!make) throw new Error(`nothing is made for ${name}`)
    const mine = (await make(shop, false)).id
    const foreign = [(await make(shop, true)).id, (await make(other, false)).id, (await make(other, true)).id]
    const answers = new Set<string>()
    for (const id of [...nonsense, ...foreign]) {
      const key = browser_only ? shop.keys.publishable : shop.keys.secret
      // With a publishable key the prefix tells the environment, which answers before the object is looked for.
      if (browser_only && id.includes('_live_')) continue
      const reply = await ask(shop, route, { key, id, query: browser_only ? '?client_secret=x' : '' })
      expect([id, reply.status]).toEqual([id, 404])
      answers.add(withoutRequestId(reply))
    }
    expect([...answers]).toEqual([
      '{"error":{"type":"invalid_request_error","code":"resource_missing","message":"There is no such resource.","request_id":"req"}}',
    ])
    const found = await ask(shop, route, { key: shop.keys.secret, id: mine })
    expect(found.body.error?.code).not.toBe('resource_missing')
  })
})

/** Everyone who can ask, and what they are answered. */
async function identities(shop: Shop, name: string): Promise<[who: string, key: string | null, Verdict][]> {
  const { engine, newKey, revokedKey, keys } = shop
  const off = await engine.admin.workspaces.create({ name: 'Off', api_enabled: false })
  const disabled = { workspace: off.id, livemode: false }
  const another = await engine.admin.workspaces.create({ name: 'Another' })
  const secret = scopes[name] === 'payment_methods:tokenize' ? '403 insufficient_scope' : 'passed'
  const in_browser = browser.includes(name)
  return [
    ['a secret key', keys.secret, secret],
    ['a live secret key', keys.live, secret],
    [
      'a secret key of another workspace',
      (await newKey({ workspace: another.id, livemode: false })).key,
      secret,
    ],
    [
      'a publishable key',
      keys.publishable,
      in_browser ? '401 client_secret_missing' : '401 publishable_key_not_allowed',
    ],
    ['no key', null, '401 api_key_missing'],
    ['a revoked key', await revokedKey(), '401 invalid_api_key'],
    ['an unknown key', `sk_test_${'0'.repeat(43)}`, '401 invalid_api_key'],
    ['a malformed key', 'two words', '401 invalid_api_key'],
    ['a key cut short', keys.secret.slice(0, -1), '401 invalid_api_key'],
    ['a key of a disabled workspace', (await newKey(disabled)).key, '403 developer_integrations_disabled'],
  ]
}

/** Asks with an empty body; `{id}` in the path names nothing unless said otherwise. */
function ask(
  shop: Shop,
  { method, path }: Route,
  { key, id = 'nobody', query = '' }: { key: string | null; id?: string; query?: string },
): Promise<Reply> {
  const said = path.endsWith('/resend') ? { endpoint: 'nobody' } : {}
  const body = method === 'POST' ? { body: said } : {}
  return shop.send(method, path.replace('{id}', id) + query, { key, ...body })
}

function verdictOf({ status, body }: Reply): Verdict {
  return status === 401 || status === 403 ? `${status} ${body.error.code}` : 'passed'
}
