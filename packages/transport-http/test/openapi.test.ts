import { catalogue, type ErrorCode, operationNamed } from '@quittance/core'
import { describe, expect, it, vi } from 'vitest'
import { openApiDocument } from '../src/openapi/document.ts'
import { serveOpenApi } from '../src/openapi/serve.ts'
import { type Route, routes } from '../src/routes.ts'
import {
  confirmedSession,
  newCheckout,
  newCustomer,
  newEndpoint,
  newInvoice,
  newMethod,
  newRefund,
  newSession,
} from './purchases.ts'
import { fresh, openShop, type Reply, type Shop } from './shop.ts'

interface Described {
  operationId: string
  summary: string
  security: Record<string, string[]>[]
  parameters?: { name?: string; in?: string; required?: boolean; $ref?: string }[]
  requestBody?: { content: { 'application/json': { schema: { properties: Record<string, object> } } } }
  responses: Record<string, Response>
  'x-quittance-extension'?: true
}

interface Response {
  $ref?: string
  content?: { 'application/json': { schema: Partial<Narrowed> & { $ref?: string } } }
}

interface Narrowed {
  properties: { error: { allOf: [object, { properties: { code: { enum: ErrorCode[] } } }] } }
}

interface Document {
  servers: { url: string }[]
  paths: Record<string, Record<string, Described>>
  webhooks: Record<string, { post: { parameters: { name: string }[]; requestBody: object } }>
  components: {
    schemas: Record<string, { properties: Record<string, Record<string, unknown>>; required: string[] }>
    responses: Record<string, Response>
  }
}

const documentOf = (options?: Parameters<typeof openApiDocument>[0]) =>
  openApiDocument(options) as unknown as Document
const document = documentOf()
const table = routes.map((route) => [`${route.method} ${route.path}`, route] as const)

function described({ method, path }: Route): Described {
  const found = document.paths[path]?.[method.toLowerCase()]
  if (!found) throw new Error(`${method} ${path} is not described.`)
  return found
}

function codesAt(route: Route, status: number): ErrorCode[] {
  const { $ref, content } = described(route).responses[status] ?? {}
  const response = $ref ? document.components.responses[$ref.split('/').at(-1) ?? ''] : { content }
  const schema = response?.content?.['application/json'].schema
  return schema?.properties?.error.allOf[1].properties.code.enum ?? []
}

/** A reply has a status and a code that the document lists for the route. */
function expectListed(route: Route, reply: Reply) {
  expect(codesAt(route, reply.status)).toContain(reply.body.error.code)
}

function send(shop: Shop, { method, path }: Route, request: Parameters<Shop['send']>[2] = {}, query = '') {
  const body = method === 'POST' ? { body: {} } : {}
  return shop.send(method, `${path.replace('{id}', 'none')}${query}`, { ...body, ...request })
}

/** The schema an answer was promised to have: its fields are exactly those, no more and no fewer. */
function expectFields(name: string, given: unknown) {
  const answer = given as object
  const schema = document.components.schemas[name]
  expect(Object.keys(answer).sort()).toEqual(Object.keys(schema?.properties ?? {}).sort())
  expect([...(schema?.required ?? [])].sort()).toEqual(Object.keys(answer).sort())
}

describe('the OpenAPI document', () => {
  it('has every route of the table, and no other', () => {
    const paths = Object.entries(document.paths)
    const listed = paths.flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(listed.sort()).toEqual(table.map(([name]) => name).sort())
  })

  it('resolves every reference to a part of itself', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, to]) => to ?? '',
    )
    const found = references.map((to) =>
      to
        .split('/')
        .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document),
    )
    expect(references.length).toBeGreaterThan(100)
    expect(references.filter((_, index) => found[index] === undefined)).toEqual([])
  })

  it('tells extensions from what the specification names', () => {
    const extensions = table
      .filter(([, route]) => described(route)['x-quittance-extension'])
      .map(([name]) => name)
    expect(extensions).toContain('POST /payment-methods/{id}/detach')
    expect(extensions).not.toContain('GET /invoices')
    const { Payment, CheckoutSession, Invoice } = document.components.schemas
    expect(Payment?.properties.amount_refunded).toHaveProperty('x-quittance-extension', true)
    expect(Payment?.properties.status).not.toHaveProperty('x-quittance-extension')
    expect(CheckoutSession?.properties.url).toHaveProperty('x-quittance-extension', true)
    expect(JSON.stringify(Invoice)).not.toContain('x-quittance-extension')
  })

  it('describes the delivery of each event type, under the headers of the brand', () => {
    const { webhooks, components } = documentOf({ brand: 'Acme' })
    expect(Object.keys(webhooks)).toEqual(components.schemas.Event?.properties.type?.enum)
    for (const { post } of Object.values(webhooks)) {
      expect(post.parameters.map(({ name }) => name)).toEqual([
        'Acme-Event-Id',
        'Acme-Signature',
        'User-Agent',
      ])
    }
    expect(JSON.stringify(webhooks['refund.failed']?.post.requestBody)).toContain(
      '#/components/schemas/Refund',
    )
  })

  it('requires an Idempotency-Key on POST /payments and POST /refunds', () => {
    const requiring = table
      .filter(([, route]) =>
        JSON.stringify(described(route).parameters ?? []).includes('/RequiredIdempotencyKey'),
      )
      .map(([name]) => name)
    expect(requiring).toEqual(['POST /payments', 'POST /refunds'])
  })
})

describe.each(table)('%s', (_name, route) => {
  const { access, errors } = operationNamed(route.operation)

  it('lists every code its operation can refuse with, under its status', () => {
    for (const code of errors) expect(codesAt(route, catalogue[code][0])).toContain(code)
  })

  it('names its operation, its keys and its scope', () => {
    const { operationId, security } = described(route)
    expect(operationId).toBe(route.operation)
    expect(security.some((one) => 'secretKey' in one)).toBe(access.key !== 'browser')
    expect(security.some((one) => 'publishableKey' in one)).toBe(access.key !== 'secret')
    if ('scope' in access) expect(security[0]?.secretKey).toEqual(access.scope === null ? [] : [access.scope])
  })

  it('is answered with codes that the document lists', async () => {
    const shop = await openShop()
    const { keys, newKey, sandbox } = shop
    const scopeless = (await newKey(sandbox, 'secret', [])).key
    expectListed(route, await send(shop, route, { key: null }))
    expectListed(route, await send(shop, route, { key: keys.publishable }))
    expectListed(route, await send(shop, route, fresh(), '?nonsense=1'))
    if (route.method === 'POST') {
      expectListed(route, await send(shop, route, { headers: { 'idempotency-key': 'a b' } }))
    }
    if (!('scope' in access) || access.scope !== null) {
      expectListed(route, await send(shop, route, { key: scopeless, headers: fresh() }))
    }
    if (route.path.includes('{id}')) expectListed(route, await send(shop, route, { headers: fresh() }))
  })
})

describe('real answers', () => {
  it('have exactly the fields of the schemas', async () => {
    const shop = await openShop()
    const { keys } = shop
    const get = async (path: string) => (await shop.send('GET', path)).body
    expectFields('CreatedWebhookEndpoint', await newEndpoint(shop))
    expectFields('Refund', await newRefund(shop))
    const { id: refused } = await confirmedSession(shop, { token: 'tok_test_declined' })
    const body = { amount: 500, currency: 'USD', payment_method_session: refused }
    await shop.send('POST', '/payments', { body, headers: fresh() })
    const { data: payments } = await get('/payments')
    for (const payment of payments) expectFields('Payment', payment)
    expectFields('PaymentFailure', payments[0]?.failure)
    const method = await newMethod(shop, { token: 'btok_test_success' })
    expectFields('PaymentMethod', method)
    expectFields('UsBankAccount', method.us_bank_account)
    const session = await newSession(shop, { token: 'btok_test_success' })
    expectFields('CreatedPaymentMethodSession', session)
    const path = `/payment-method-sessions/${session.id}`
    expectFields('PaymentMethodSession', await get(path))
    expectFields('AchAuthorization', session.ach_authorization)
    const query = `?client_secret=${session.client_secret}`
    const seen = await shop.send('GET', `${path}${query}`, { key: keys.publishable })
    expectFields('BrowserPaymentMethodSession', seen.body)
    expectFields('CheckoutSession', await newCheckout(shop))
    expectFields('Invoice', await get(`/invoices/${await newInvoice(shop)}`))
    expectFields('Customer', await get(`/customers/${await newCustomer(shop)}`))
    expectFields('Account', await get('/account'))
    const events = await get('/events')
    expectFields('EventList', events)
    for (const event of events.data) expectFields('Event', event)
    const event = await get(`/events/${events.data[0]?.id}`)
    expectFields('EventWithDeliveries', event)
    expectFields('Delivery', (event.deliveries as object[])[0])
    const endpoints = (await get('/webhook-endpoints')).data
    expectFields('WebhookEndpoint', endpoints[0])
    const deleted = await shop.send('DELETE', `/webhook-endpoints/${endpoints[0]?.id}`)
    expectFields('DeletedWebhookEndpoint', deleted.body)
  })
})

describe('GET /openapi.json', () => {
  it.each(['/v1', '/', '/billing/v1'])(
    'answers without a key at the origin and below %s',
    async (basePath) => {
      const { url, engine } = await openShop({ handler: { basePath } })
      const expected = documentOf({ serverUrl: basePath, brand: engine.brand })
      for (const path of ['/openapi.json', `${basePath}/openapi.json`.replace('//', '/')]) {
        const response = await fetch(`${url}${path}`)
        expect(response.status).toBe(200)
        expect(Object.fromEntries(response.headers)).toMatchObject({
          'content-type': 'application/json',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
          'request-id': expect.stringMatching(/^req_/),
        })
        expect(await response.json()).toEqual(expected)
      }
    },
  )

  it('is written once, however many spellings of a mount it is asked under', () => {
    const serve = serveOpenApi({ brand: 'Service' })
    const asked = (base_path: string) => serve('GET', { path: `${base_path}/openapi.json`, base_path })
    const written = vi.spyOn(JSON, 'stringify')
    const [tenant, other] = ['/tenants/1/v1', '/"V1'].map((base_path) => JSON.parse(asked(base_path) ?? ''))
    expect(written.mock.calls.filter(([value]) => value?.openapi !== undefined)).toHaveLength(1)
    written.mockRestore()
    expect(tenant).toEqual(openApiDocument({ serverUrl: '/tenants/1/v1' }))
    expect(other).toEqual(openApiDocument({ serverUrl: '/"V1' }))
  })

  it('is the only thing that needs no key', async () => {
    const { url } = await openShop()
    expect((await fetch(`${url}/openapi.json`, { method: 'POST' })).status).toBe(401)
    expect((await fetch(`${url}/v1/openapi.jsonx`)).status).toBe(401)
  })
})
