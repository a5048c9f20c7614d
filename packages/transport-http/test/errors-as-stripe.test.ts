import { type EngineOptions, type ErrorCode, type KeyScope, memoryStore, type Store } from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'
import Stripe from 'stripe'
import { describe, expect, it } from 'vitest'
import { heldProcessor } from '../../testing/src/ports/held-processor.ts'
import type { HandlerOptions } from '../src/handler.ts'
import {
  confirmation,
  confirmedSession,
  confirmPath,
  newCustomer,
  newInvoice,
  newPayment,
  newSession,
} from './purchases.ts'
import { openShop, type Shop } from './shop.ts'

type ErrorClass =
  | 'StripeInvalidRequestError'
  | 'StripeAuthenticationError'
  | 'StripePermissionError'
  | 'StripeRateLimitError'
  | 'StripeIdempotencyError'
  | 'StripeCardError'
  | 'StripeAPIError'

interface Mapped {
  type: ErrorClass
  code: ErrorCode
  statusCode: number
  rawType: string
  param?: string
  shop?: Partial<EngineOptions> & { handler?: HandlerOptions }
  ask(shop: Shop): Promise<unknown>
}

/** The client writes JSON only to addresses that begin with /v2; where the API is mounted is the host's to say. */
const at_v2 = { handler: { basePath: '/v2' } }

const charge = { amount: 500, currency: 'USD' }

const mapped: Mapped[] = [
  {
    ...{ type: 'StripeInvalidRequestError', code: 'resource_missing' },
    ...{ statusCode: 404, rawType: 'invalid_request_error' },
    ask: (shop) => client(shop).invoices.retrieve('nobody'),
  },
  {
    ...{ type: 'StripeInvalidRequestError', code: 'parameter_invalid', param: 'type' },
    ...{ statusCode: 400, rawType: 'invalid_request_error' },
    ask: (shop) => client(shop).events.list({ type: 'payment.imagined' }),
  },
  {
    ...{ type: 'StripeInvalidRequestError', code: 'parameter_invalid', param: 'enabled_events[1]' },
    ...{ statusCode: 400, rawType: 'invalid_request_error', shop: at_v2 },
    ask: (shop) =>
      client(shop).rawRequest('POST', '/v2/webhook-endpoints', {
        url: 'https://example.com/hooks',
        enabled_events: ['payment.succeeded', 'payment.imagined'],
      }),
  },
  {
    // The client goes by the status: a card error of 400 is no card error to it, and says so in `rawType` alone.
    ...{ type: 'StripeInvalidRequestError', code: 'card_expired' },
    ...{ statusCode: 400, rawType: 'card_error', shop: at_v2 },
    ask: (shop) => confirmWith(shop, 'tok_test_expired'),
  },
  {
    ...{ type: 'StripeAuthenticationError', code: 'invalid_api_key' },
    ...{ statusCode: 401, rawType: 'authentication_error' },
    ask: async (shop) => client(shop, await shop.revokedKey()).customers.list(),
  },
  {
    ...{ type: 'StripeAuthenticationError', code: 'publishable_key_not_allowed' },
    ...{ statusCode: 401, rawType: 'authentication_error' },
    ask: (shop) => client(shop, shop.keys.publishable).customers.list(),
  },
  {
    ...{ type: 'StripePermissionError', code: 'insufficient_scope' },
    ...{ statusCode: 403, rawType: 'permission_error' },
    ask: async (shop) => client(shop, await keyWith(shop, ['webhooks:read'])).invoices.list(),
  },
  {
    ...{ type: 'StripePermissionError', code: 'developer_integrations_disabled' },
    ...{ statusCode: 403, rawType: 'permission_error' },
    async ask(shop) {
      const off = await shop.engine.admin.workspaces.create({ name: 'Off', api_enabled: false })
      const { key } = await shop.newKey({ workspace: off.id, livemode: false })
      return client(shop, key).invoices.list()
    },
  },
  {
    ...{ type: 'StripeRateLimitError', code: 'rate_limit_exceeded' },
    ...{ statusCode: 429, rawType: 'rate_limit_error' },
    shop: { rateLimit: { sandboxPerSecond: 0 } },
    ask: (shop) => client(shop).events.list(),
  },
  {
    ...{ type: 'StripeIdempotencyError', code: 'idempotency_key_reused' },
    ...{ statusCode: 400, rawType: 'idempotency_error', shop: at_v2 },
    async ask(shop) {
      const { id: payment_method_session } = await confirmedSession(shop)
      const input = { ...charge, payment_method_session }
      await pay(shop, input, 'once')
      return pay(shop, { ...input, amount: 600 }, 'once')
    },
  },
  {
    ...{ type: 'StripeIdempotencyError', code: 'idempotency_key_in_flight' },
    ...{ statusCode: 409, rawType: 'idempotency_error', shop: at_v2 },
    ask: payTwiceAtOnce,
  },
  {
    ...{ type: 'StripeCardError', code: 'card_declined' },
    ...{ statusCode: 402, rawType: 'card_error', shop: at_v2 },
    ask: (shop) => payWith(shop, 'tok_test_insufficient_funds'),
  },
  {
    ...{ type: 'StripeCardError', code: 'card_verification_failed' },
    ...{ statusCode: 402, rawType: 'card_error', shop: at_v2 },
    ask: (shop) => confirmWith(shop, 'tok_test_incorrect_cvc'),
  },
  {
    ...{ type: 'StripeAPIError', code: 'refund_in_flight' },
    ...{ statusCode: 409, rawType: 'api_error', shop: at_v2 },
    async ask(shop) {
      const { id: payment } = await newPayment(shop, { token: 'tok_test_refund_pending' })
      const refund = () => client(shop).rawRequest('POST', '/v2/refunds', { payment, amount: 100 })
      await refund()
      return refund()
    },
  },
  {
    ...{ type: 'StripeAPIError', code: 'internal_error' },
    ...{ statusCode: 500, rawType: 'api_error' },
    shop: { store: withoutKeys(memoryStore()) },
    ask: (shop) => client(shop).events.list(),
  },
]

describe('stripe-node as a client', () => {
  it.each(mapped)('reads $statusCode $code as $type', async (expected) => {
    const { ask, shop: options, type, ...told } = expected
    const shop = await openShop(options)
    const refusal = await ask(shop).then(
      () => new Error('it was accepted'),
      (reason: unknown) => reason,
    )
    if (!(refusal instanceof Stripe.errors.StripeError)) throw refusal
    expect(refusal).toBeInstanceOf(Stripe.errors[type])
    expect(refusal).toMatchObject({
      type,
      ...told,
      requestId: expect.stringMatching(/^req_[0-9A-Za-z]{24}$/),
    })
    expect(refusal.param).toBe(expected.param)
    expect(refusal.raw).toMatchObject({ request_id: refusal.requestId })
    expect(refusal.message).toMatch(/^[A-Z].*\.$/s)
  })

  it('is told which payment was declined, and why', async () => {
    const shop = await openShop(at_v2)
    const declined = payWith(shop, 'tok_test_insufficient_funds')
    const refusal = await declined.catch((reason: unknown) => reason)
    if (!(refusal instanceof Stripe.errors.StripeCardError)) throw refusal
    expect(refusal.decline_code).toBe('insufficient_funds')
    const { data } = (await shop.send('GET', '/payments')).body
    expect(refusal.raw).toMatchObject({ payment: data[0]?.id })
  })

  it('is told how long to wait by a 429', async () => {
    const shop = await openShop({ rateLimit: { sandboxPerSecond: 0 } })
    const limited = client(shop).events.list()
    await expect(limited).rejects.toMatchObject({
      headers: { 'retry-after': expect.stringMatching(/^[1-9]/) },
    })
  })

  it.each([
    ['invoices', (shop: Shop) => newInvoice(shop)],
    ['customers', (shop: Shop, n: number) => newCustomer(shop, `c-${n}`)],
    ['events', async (shop: Shop) => void (await newPayment(shop))],
  ] as const)('lists %s to the end by itself, newest first', async (list, create) => {
    const shop = await openShop()
    for (let n = 0; n < 7; n += 1) await create(shop, n)
    const seen: string[] = []
    for await (const { id } of client(shop)[list].list({ limit: 3 })) seen.push(String(id))
    expect(seen).toEqual((await shop.send('GET', `/${list}?limit=100`)).body.data.map(({ id }) => id))
    expect(seen).toHaveLength(7)
  })
})

/** No retries: each test makes the requests that it names. */
function client({ keys, port }: Shop, key = keys.secret): Stripe {
  return new Stripe(key, { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0 })
}

function pay(shop: Shop, input: object, idempotencyKey?: string) {
  return client(shop).rawRequest(
    'POST',
    '/v2/payments',
    { ...input },
    idempotencyKey ? { idempotencyKey } : {},
  )
}

async function payWith(shop: Shop, token: string) {
  const { id } = await confirmedSession(shop, { token })
  return pay(shop, { ...charge, payment_method_session: id })
}

/** The second of two requests with one key, sent while the first is still being charged. */
async function payTwiceAtOnce() {
  const { processor, held, release } = heldProcessor(simulatedProcessor(), 'before')
  const shop = await openShop({ ...at_v2, processors: { sandbox: processor } })
  const { id: payment_method_session } = await confirmedSession(shop)
  const first = pay(shop, { ...charge, payment_method_session }, 'once')
  await held
  try {
    return await pay(shop, { ...charge, payment_method_session }, 'once')
  } finally {
    release()
    await first
  }
}

async function confirmWith(shop: Shop, token: string) {
  const path = `/v2${confirmPath(await newSession(shop))}`
  return client(shop, shop.keys.publishable).rawRequest('POST', path, confirmation(token))
}

async function keyWith({ newKey, sandbox }: Shop, scopes: readonly KeyScope[]): Promise<string> {
  return (await newKey(sandbox, 'secret', scopes)).key
}

function withoutKeys(store: Store): Store {
  return { ...store, findApiKey: () => Promise.reject(new Error('the disk is gone')) }
}
