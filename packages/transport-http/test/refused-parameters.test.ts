import { describe, expect, it } from 'vitest'
import { routes } from '../src/routes.ts'
import { checkout, confirmPath, newEndpoint, newSession } from './purchases.ts'
import { fresh, openShop, refusal } from './shop.ts'

const refused = (param: string) => ({ status: 400, code: 'parameter_invalid', param })
const url = 'https://example.com/hooks'

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
    ['/refunds', {}, 'payment'],
    ['/refunds', { payment: 'pay_test_1', amount: 0 }, 'amount'],
    ['/refunds', { payment: 'pay_test_1', reason: 'x'.repeat(501) }, 'reason'],
    ['/refunds', { payment: 'pay_test_1', metadata: { a: null } }, 'metadata[a]'],
    ['/refunds', { payment: 'pay_test_1', currency: 'USD' }, 'currency'],
    ['/checkout-sessions', {}, 'amount'],
    ['/checkout-sessions', { ...checkout, success_url: undefined }, 'success_url'],
    ['/checkout-sessions', { ...checkout, success_url: 'nowhere' }, 'success_url'],
    ['/checkout-sessions', { ...checkout, cancel_url: 'javascript:alert(1)' }, 'cancel_url'],
    ['/checkout-sessions', { ...checkout, cancel_url: 'http://example.com' }, 'cancel_url'],
    ['/checkout-sessions', { ...checkout, cancel_url: 'https://a:b@example.com' }, 'cancel_url'],
    ['/checkout-sessions', { ...checkout, customer_email: 'ada' }, 'customer_email'],
    ['/checkout-sessions', { ...checkout, payment_method_types: [] }, 'payment_method_types'],
    ['/checkout-sessions', { ...checkout, payment_method_types: ['card', 'card'] }, 'payment_method_types'],
    [
      '/checkout-sessions',
      { ...checkout, currency: 'CAD', payment_method_types: ['us_bank_account'] },
      'payment_method_types',
    ],
    ['/checkout-sessions', { ...checkout, metadata: { order: 1 } }, 'metadata[order]'],
    ['/checkout-sessions', { ...checkout, expires_in: 1_799 }, 'expires_in'],
    ['/checkout-sessions', { ...checkout, expires_in: 86_401 }, 'expires_in'],
    ['/checkout-sessions/x/expire', { reason: 'a' }, 'reason'],
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

  it('is refused in words of JSON where a session is to take another number of types than one', async () => {
    const { send } = await openShop()
    for (const payment_method_types of [null, 'card', [], ['card', 'card']]) {
      const body = { payment_method_types }
      const reply = await send('POST', '/payment-method-sessions', { headers: fresh(), body })
      expect(reply.text).toContain('"message":"A list of exactly one type."')
    }
  })

  it.each([
    ['a name', (name: string) => ({ [name]: 1 }), ''],
    ['a key of metadata', (name: string) => ({ ...payment, metadata: { [name]: 'x' } }), 'metadata['],
  ])('is named by the beginning of %s that goes on for ever', async (_what, body, before) => {
    const { send } = await openShop()
    const name = 'n😀'.repeat(10_000)
    const reply = await send('POST', '/payments', { headers: fresh(), body: { ...payment, ...body(name) } })
    expect(refusal(reply).param).toBe(`${before}${name}`.slice(0, 200).toWellFormed())
    expect(reply.text.length).toBeLessThan(1_000)
  })
})

describe('a query parameter', () => {
  const lists = routes.filter(({ operation }) => operation.endsWith('.list')).map(({ path }) => path)

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
    ['/invoices?status=draft', 'status'],
    ['/invoices?number=', 'number'],
    [`/invoices?external_id=${'a'.repeat(101)}`, 'external_id'],
    [`/customers?reference=${'a'.repeat(101)}`, 'reference'],
    ['/customers?email=ada@example.com', 'email'],
    ['/refunds?payment=', 'payment'],
    ['/checkout-sessions?status=open', 'status'],
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
