import { describe, expect, it } from 'vitest'
import {
  checkout,
  confirmedSession,
  confirmPath,
  lastEvent,
  newCustomer,
  newEndpoint,
  newInvoice,
  newMethod,
  newPayment,
  newRefund,
  newSession,
} from './purchases.ts'
import { fresh, openShop, refusal, type Shop, withoutRequestId } from './shop.ts'

const nonsense = [
  'nobody',
  `pm_test_${'0'.repeat(24)}`,
  '00000000-0000-7000-8000-000000000000',
  '__proto__',
  'é',
]

/** Objects of another workspace and of the other environment, made by `make`. */
async function foreignTo(shop: Shop, make: (shop: Shop, live: boolean) => Promise<{ id: string }>) {
  const other = await openShop({ store: shop.store })
  return [
    (await make(shop, true)).id,
    (await make(other, false)).id,
    (await make(other, true)).id,
    ...nonsense,
  ]
}

const charge = { amount: 500, currency: 'USD' }

/** Each parameter of a body that names another object, and how it is sent. */
const parameters: [param: string, path: string, bodyFor: (id: string, shop: Shop) => Promise<object>][] = [
  ['payment_method_session', '/payments', async (id) => ({ ...charge, payment_method_session: id })],
  ['payment_method', '/payments', async (id) => ({ ...charge, payment_method: id })],
  [
    'customer',
    '/payments',
    async (id, shop) => ({ ...charge, customer: id, payment_method: (await newMethod(shop)).id }),
  ],
  ['payment_method_session', '/payment-methods', async (id) => ({ payment_method_session: id })],
  ['customer', '/payment-method-sessions', async (id) => ({ customer: id })],
  [
    'invoice',
    '/payments',
    async (id, shop) => ({ ...charge, invoice: id, payment_method: (await newMethod(shop)).id }),
  ],
  ['payment', '/refunds', async (id) => ({ payment: id })],
  ['customer', '/checkout-sessions', async (id) => ({ ...checkout, customer: id })],
]
const makers: Record<string, (shop: Shop, live: boolean) => Promise<{ id: string }>> = {
  payment_method_session: (shop, live) => confirmedSession(shop, { live }),
  payment_method: (shop, live) => newMethod(shop, { live }),
  payment: (shop, live) => newPayment(shop, { live }),
  invoice: async (shop, live) => ({ id: await newInvoice(shop, { live }) }),
  customer: async (shop, live) => ({ id: await newCustomer(shop, 'c-1', live ? shop.live : shop.sandbox) }),
}

describe.each(parameters)('%s in POST %s', (param, path, bodyFor) => {
  it('answers 404 with `param` for every object that is not of this workspace and environment', async () => {
    const shop = await openShop()
    const make = makers[param]
    if (!make) throw new Error(`nothing is made for ${param}`)
    const answers = new Set<string>()
    for (const id of await foreignTo(shop, make)) {
      const reply = await shop.send('POST', path, { body: await bodyFor(id, shop), headers: fresh() })
      expect([id, refusal(reply)]).toEqual([id, { status: 404, code: 'resource_missing', param }])
      answers.add(withoutRequestId(reply))
    }
    expect(answers.size).toBe(1)
  })
})

describe('the endpoint of a resend', () => {
  it('answers 400 for every endpoint that is not the workspace’s, or is disabled or deleted', async () => {
    const shop = await openShop()
    await newPayment(shop)
    const { id: event } = await lastEvent(shop)
    const disabled = await newEndpoint(shop)
    await shop.send('POST', `/webhook-endpoints/${disabled.id}`, { body: { status: 'disabled' } })
    const deleted = await newEndpoint(shop)
    await shop.send('DELETE', `/webhook-endpoints/${deleted.id}`)
    const foreign = await foreignTo(shop, (of, live) => newEndpoint(of, { live }))
    const answers = new Set<string>()
    for (const endpoint of [...foreign, disabled.id, deleted.id]) {
      const reply = await shop.send('POST', `/events/${event}/resend`, { body: { endpoint } })
      expect(refusal(reply)).toEqual({ status: 400, code: 'parameter_invalid', param: 'endpoint' })
      answers.add(withoutRequestId(reply))
    }
    expect(answers.size).toBe(1)
  })
})

describe('a deleted endpoint', () => {
  it('is missing like one that never was, on every route, from the list and as its cursor', async () => {
    const shop = await openShop()
    const { send } = shop
    const { id } = await newEndpoint(shop)
    expect((await send('DELETE', `/webhook-endpoints/${id}`)).body).toMatchObject({ id, deleted: true })
    for (const method of ['GET', 'POST', 'DELETE']) {
      const gone = await send(method, `/webhook-endpoints/${id}`)
      const never = await send(method, '/webhook-endpoints/nobody')
      expect([gone.status, withoutRequestId(gone)]).toEqual([404, withoutRequestId(never)])
    }
    expect((await send('GET', '/webhook-endpoints')).body.data).toEqual([])
    const after = await send('GET', `/webhook-endpoints?starting_after=${id}`)
    expect(refusal(after)).toEqual({ status: 400, code: 'parameter_invalid', param: 'starting_after' })
  })
})

describe('a filter of a list', () => {
  it.each([
    ['customer', '/payments'],
    ['customer', '/payment-methods'],
    ['customer', '/invoices'],
    ['payment', '/refunds'],
  ])('finds nothing by the %s of another workspace or environment: %s', async (param, path) => {
    const shop = await openShop()
    const customer = await newCustomer(shop)
    const { payment } = await newRefund(shop, { customer })
    await newInvoice(shop, { customer })
    const filtered = `${path}?${param}=${param === 'customer' ? customer : payment}`
    expect((await shop.send('GET', filtered)).body.data).toHaveLength(1)
    const other = await openShop({ store: shop.store })
    const replies = [
      await other.send('GET', filtered),
      await shop.send('GET', `${path}?${param}=nobody`),
      await shop.send('GET', filtered, { key: shop.keys.live }),
    ]
    for (const { text } of replies) expect(text).toBe('{"object":"list","data":[],"has_more":false}')
  })
})

describe('a publishable key', () => {
  it('opens no session of another workspace, whatever the client secret', async () => {
    const shop = await openShop()
    const session = await newSession(shop)
    const other = await openShop({ store: shop.store })
    const key = other.keys.publishable
    expect(refusal(await other.send('POST', confirmPath(session), { key, body: {} }))).toMatchObject({
      status: 404,
    })
    const query = `client_secret=${session.client_secret}`
    const read = await other.send('GET', `/payment-method-sessions/${session.id}?${query}`, { key })
    expect(refusal(read)).toMatchObject({ status: 404, code: 'resource_missing' })
  })

  it('opens one session, not another of the same workspace', async () => {
    const shop = await openShop()
    const [one, two] = [await newSession(shop), await newSession(shop)]
    const path = `/payment-method-sessions/${one.id}?client_secret=${two.client_secret}`
    const reply = await shop.send('GET', path, { key: shop.keys.publishable })
    expect(refusal(reply)).toMatchObject({ status: 401, code: 'invalid_client_secret' })
  })

  it('opens no session of the other environment', async () => {
    const shop = await openShop()
    const { publishable, live_publishable } = shop.keys
    const cases: [session: { id: string; client_secret: string }, key: string][] = [
      [await newSession(shop, { live: true }), publishable],
      [await newSession(shop), live_publishable],
    ]
    for (const [{ id, client_secret }, key] of cases) {
      const path = `/payment-method-sessions/${id}?client_secret=${client_secret}`
      const reply = await shop.send('GET', path, { key })
      expect(refusal(reply)).toMatchObject({ status: 401, code: 'api_key_environment_mismatch' })
    }
  })

  it('sees nothing of the merchant’s own records', async () => {
    const shop = await openShop()
    const { id, client_secret } = await newSession(shop, { customer: await newCustomer(shop) })
    const path = `/payment-method-sessions/${id}`
    const { secret, publishable } = shop.keys
    const whole = await shop.send('GET', path, { key: secret })
    const seen = await shop.send('GET', `${path}?client_secret=${client_secret}`, { key: publishable })
    const { customer, payment_method, ...rest } = whole.body
    expect([typeof customer, payment_method]).toEqual(['string', null])
    expect(seen.body).toEqual(rest)
    expect(whole.text).not.toContain('_secret_')
  })
})
