import { describe, expect, it } from 'vitest'
import { simulatedProcessor } from '../../../processor-simulator/src/simulated-processor.ts'
import { accepted } from '../../../testing/src/builders/requests.ts'
import { newCustomer, openCheckout, shownCheckout } from '../../../testing/src/builders/sales.ts'
import { openSandbox, type Sandbox, sandboxIn, withProcessor } from '../../../testing/src/builders/sandbox.ts'
import { refusal } from '../operations/refusals.ts'

const urls = { success_url: 'https://shop.example.com/thanks', cancel_url: 'https://shop.example.com/cart' }
const valid = { amount: 1000, currency: 'USD' as const, ...urls }

const create = ({ engine, caller }: Sandbox, changed: object) =>
  engine.checkout_sessions.create(caller, { ...valid, ...changed })

const live = (sandbox: Sandbox) => sandboxIn(sandbox, { ...sandbox.scope, livemode: true })

describe('a checkout session', () => {
  it('answers every field of the specification, and the address of its page', async () => {
    const sandbox = await openSandbox()
    const customer = await newCustomer(sandbox)
    const named = {
      reference: 'order 17',
      description: 'Two chairs',
      customer_email: 'ada@example.com',
      customer,
      metadata: { chairs: '2' },
    }
    const made = accepted(await create(sandbox, { ...named, payment_method_types: ['card'] }))
    expect(made).toEqual({
      object: 'checkout_session',
      id: expect.stringMatching(/^cs_test_[0-9A-Za-z]{24}$/),
      status: 'open',
      ...valid,
      ...named,
      payment_method_types: ['card'],
      payment: null,
      url: expect.stringMatching(/^https:\/\/pay\.example\.com\/checkout\/[\w.-]+$/),
      livemode: false,
      expires_at: '2026-02-01T12:00:00.000Z',
      completed_at: null,
      created_at: '2026-01-31T12:00:00.000Z',
    })
    expect(await shownCheckout(sandbox, made.id)).toEqual(made)
  })

  it('has nulls where nothing was named, and a currency in capitals', async () => {
    const sandbox = await openSandbox()
    expect(accepted(await create(sandbox, { currency: 'cad' }))).toMatchObject({
      currency: 'CAD',
      reference: null,
      description: null,
      customer_email: null,
      customer: null,
      payment: null,
      metadata: {},
      payment_method_types: ['card'],
    })
    expect((await openCheckout(sandbox)).payment_method_types).toEqual(['card', 'us_bank_account'])
  })

  it.each([
    'sales&marketing@example.com',
    'a/b=c@example.com',
    'ada..lovelace.@example.com',
    "o'brien+tag@example.co.uk",
    'user@xn--mnchen-3ya.de',
    'ada@localhost',
  ])('takes %s, as the e-mail field of a browser does', async (customer_email) => {
    const sandbox = await openSandbox()
    expect(accepted(await create(sandbox, { customer_email })).customer_email).toBe(customer_email)
  })

  it('lives for as long as it was asked to, from 1800 to 86400 s', async () => {
    const sandbox = await openSandbox()
    const { expires_at } = accepted(await create(sandbox, { expires_in: 1800 }))
    expect(expires_at).toBe('2026-01-31T12:30:00.000Z')
    expect(accepted(await create(sandbox, { expires_in: 86_400 })).expires_at).toBe(
      '2026-02-01T12:00:00.000Z',
    )
  })

  it('may have 20 keys of metadata of 40 characters, with values of 500', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [String(n).padStart(40, 'k'), 'v'.repeat(500)]),
    )
    expect(accepted(await create(await openSandbox(), { metadata })).metadata).toEqual(metadata)
  })

  it.each([
    [{ amount: 0 }, 'amount'],
    [{ amount: 100_000_000 }, 'amount'],
    [{ currency: 'EUR' }, 'currency'],
    [{ expires_in: 1799 }, 'expires_in'],
    [{ expires_in: 86_401 }, 'expires_in'],
    [{ expires_in: 1800.5 }, 'expires_in'],
    [{ customer_email: 'nobody' }, 'customer_email'],
    [{ payment_method_types: [] }, 'payment_method_types'],
    [{ payment_method_types: ['card', 'card'] }, 'payment_method_types'],
    [{ payment_method_types: ['cash'] }, 'payment_method_types[0]'],
    [{ payment_method_types: ['us_bank_account'], currency: 'CAD' }, 'payment_method_types'],
    [{ metadata: { ['k'.repeat(41)]: 'v' } }, expect.stringMatching(/^metadata/)],
    [{ metadata: { k: 'v'.repeat(501) } }, 'metadata[k]'],
    [{ metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, ''])) }, 'metadata'],
    [{ reference: '' }, 'reference'],
    [{ description: 'x'.repeat(501) }, 'description'],
    [{ payment: 'pay_test_1' }, 'payment'],
  ])('with %o is refused as parameter_invalid', async (changed, param) => {
    const sandbox = await openSandbox()
    expect(refusal(await create(sandbox, changed))).toEqual({ code: 'parameter_invalid', param })
    const { engine, caller } = sandbox
    expect(accepted(await engine.checkout_sessions.list(caller, {})).data).toEqual([])
  })

  it('of an unknown customer, or of one of another environment, answers 404', async () => {
    const sandbox = await openSandbox()
    const customer = await newCustomer(sandbox)
    const missing = { code: 'resource_missing', param: 'customer' }
    expect(refusal(await create(sandbox, { customer: 'nobody' }))).toEqual(missing)
    expect(refusal(await create(await live(sandbox), { customer }))).toEqual(missing)
  })
})

describe('success_url and cancel_url', () => {
  it.each([
    ['https://shop.example.com/?a=b#c', true, true],
    ['https://shop.example.com/{CHECKOUT_SESSION_ID}?of={CHECKOUT_SESSION_ID}', true, true],
    ['https://{CHECKOUT_SESSION_ID}.example.com/', false, false],
    ['http://localhost:3000/thanks', true, false],
    ['http://127.0.0.1/thanks', true, false],
    ['http://shop.example.com/', false, false],
    ['http://localhost.example.com/', false, false],
    ['javascript:alert(1)', false, false],
    ['ftp://shop.example.com/', false, false],
    ['https://user:secret@shop.example.com/', false, false],
    ['/thanks', false, false],
    [' https://shop.example.com/', false, false],
    ['https://shop.example.com/\n', false, false],
    ['https://shop.example.com/\r\nSet-Cookie: a=b', false, false],
    ['https:shop.example.com', false, false],
    ['https:\\\\shop.example.com', false, false],
    ['', false, false],
  ])('%s: %s in the sandbox, %s live', async (url, in_sandbox, in_live) => {
    const sandbox = await openSandbox()
    const cases = [
      [sandbox, in_sandbox],
      [await live(sandbox), in_live],
    ] as const
    for (const [scope, allowed] of cases) {
      for (const param of ['success_url', 'cancel_url']) {
        const result = await create(scope, { [param]: url })
        if (allowed) expect(accepted(result)).toMatchObject({ [param]: url })
        else expect(refusal(result)).toEqual({ code: 'parameter_invalid', param })
      }
    }
  })
})

describe('a checkout session where not every type can be charged', () => {
  const cardsOnly = (sandbox: Sandbox) =>
    sandbox.another(withProcessor(sandbox, simulatedProcessor({ types: ['card'] })))

  it('offers the types there are, and refuses those there are not', async () => {
    const cards = cardsOnly(await openSandbox())
    expect(accepted(await create(cards, {})).payment_method_types).toEqual(['card'])
    const refused = await create(cards, { payment_method_types: ['us_bank_account'] })
    expect(refusal(refused)).toEqual({ code: 'payment_provider_not_configured' })
  })

  it('is refused where there is no processor at all', async () => {
    const sandbox = await openSandbox()
    const none = sandbox.another({ processors: { live: sandbox.live_processor } })
    expect(refusal(await create(none, {}))).toEqual({ code: 'payment_provider_not_configured' })
  })
})

describe('GET /checkout-sessions', () => {
  it('lists newest first, and nothing of another environment', async () => {
    const sandbox = await openSandbox()
    const ids: string[] = []
    for (let n = 0; n < 3; n += 1) ids.unshift((await openCheckout(sandbox)).id)
    const { engine, caller } = sandbox
    const list = async (query: object) => {
      const { data, has_more } = accepted(await engine.checkout_sessions.list(caller, query))
      return [data.map(({ id }) => id), has_more]
    }
    expect(await list({})).toEqual([ids, false])
    expect(await list({ limit: 2 })).toEqual([ids.slice(0, 2), true])
    expect(await list({ limit: 2, starting_after: ids[1] })).toEqual([ids.slice(2), false])
    const other = await live(sandbox)
    expect(accepted(await other.engine.checkout_sessions.list(other.caller, {})).data).toEqual([])
    const [id = ''] = ids
    expect(refusal(await other.engine.checkout_sessions.retrieve(other.caller, { id }))).toEqual({
      code: 'resource_missing',
    })
  })
})
