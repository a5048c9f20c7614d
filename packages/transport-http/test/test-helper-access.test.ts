import { describe, expect, it } from 'vitest'
import { newCheckout, newPayment } from './purchases.ts'
import { openShop, refusal } from './shop.ts'

const routes: [method: string, path: string, body?: object][] = [
  ['GET', '/test-helpers/clock'],
  ['POST', '/test-helpers/clock/advance', { seconds: 1 }],
  ['POST', '/test-helpers/payments/x/settle', {}],
  ['POST', '/test-helpers/refunds/x/succeed', {}],
  ['POST', '/test-helpers/checkout-sessions/x/pay', { token: 'tok_test_visa' }],
]

describe.each(routes)('%s %s', (method, path, body) => {
  const request = body === undefined ? {} : { body }

  it('is not there unless the engine was made with it', async () => {
    const { send } = await openShop()
    expect(refusal(await send(method, path, request))).toMatchObject({
      status: 404,
      code: 'resource_missing',
    })
  })

  it('is open to a sandbox secret key with no scope at all, and to no other key', async () => {
    const shop = await openShop({ testHelpers: true })
    const { send, keys, sandbox, newKey } = shop
    const scopeless = (await newKey(sandbox, 'secret', [])).key
    const found = path.includes('/x/') ? 404 : 200
    expect((await send(method, path, { ...request, key: scopeless })).status).toBe(found)
    const others: [key: string | null, status: number, code: string][] = [
      [null, 401, 'api_key_missing'],
      [await shop.revokedKey(), 401, 'invalid_api_key'],
      [keys.publishable, 401, 'publishable_key_not_allowed'],
      [keys.live, 404, 'resource_missing'],
    ]
    for (const [key, status, code] of others) {
      expect(refusal(await send(method, path, { ...request, key }))).toMatchObject({ status, code })
    }
  })

  it('refuses what it does not know', async () => {
    const { send } = await openShop({ testHelpers: true })
    const reply = await send(method, `${path}?nonsense=1`, request)
    expect(refusal(reply)).toEqual({ status: 400, code: 'parameter_invalid', param: 'nonsense' })
    if (body === undefined) return
    const unknown = await send(method, path, { body: { ...body, nonsense: 1 } })
    expect(refusal(unknown)).toEqual({ status: 400, code: 'parameter_invalid', param: 'nonsense' })
    expect(refusal(await send(method, path, { body: '{' }))).toMatchObject({
      status: 400,
      code: 'parameter_invalid',
    })
  })
})

describe('a step of a payment', () => {
  it('answers the payment after it, and only for one of this workspace', async () => {
    const shop = await openShop({ testHelpers: true })
    const { id } = await newPayment(shop, { token: 'btok_test_success' })
    const other = await openShop({ store: shop.store, testHelpers: true })
    expect((await other.send('POST', `/test-helpers/payments/${id}/settle`)).status).toBe(404)
    const settled = await shop.send('POST', `/test-helpers/payments/${id}/settle`)
    expect([settled.status, settled.body.status]).toEqual([200, 'succeeded'])
    const again = await shop.send('POST', `/test-helpers/payments/${id}/settle`)
    expect(refusal(again)).toMatchObject({ status: 409, code: 'conflict' })
  })
})

describe('a payment of a page', () => {
  it.each([
    ['tok_nobody_gave_out', 'parameter_invalid'],
    ['btok_nobody_gave_out', 'parameter_invalid'],
    ['4242 4242 4242 4242', 'card_not_tokenized'],
  ])('with %s is refused for `token`, the one parameter sent', async (token, code) => {
    const shop = await openShop({ testHelpers: true })
    const { id } = await newCheckout(shop)
    const paid = await shop.send('POST', `/test-helpers/checkout-sessions/${id}/pay`, { body: { token } })
    expect(refusal(paid)).toEqual({ status: 400, code, param: 'token' })
  })
})
