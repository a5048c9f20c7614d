import type { OperationName } from '@quittance/core'
import {
  ach_authorization,
  billing_details,
  checkout,
  confirmedSession,
  confirmPath,
  lastEvent,
  newCheckout,
  newCustomer,
  newEndpoint,
  newMethod,
  newPayment,
  newSession,
} from '../purchases.ts'
import type { Body, Shop } from '../shop.ts'

/** A request that is accepted, with every optional field filled in that goes with the others. */
export interface ValidRequest {
  path: string
  body: object
  key?: string
  /** Where what it has made can be read again; by default it is not. */
  readBack?(answer: Body): Promise<Body>
}

type Make = (shop: Shop) => Promise<ValidRequest>

const words = { reference: 'order-1', description: 'Tea', metadata: { colour: 'green' } }
const email = 'ada@example.com'

/** Every route with a body: a request that makes what it takes anew. */
export const valid_requests: Partial<Record<OperationName, Make>> = {
  'payment_method_sessions.create': async (shop) => ({
    path: '/payment-method-sessions',
    body: { payment_method_types: ['us_bank_account'], amount: 500, currency: 'usd' },
    readBack: again(shop, '/payment-method-sessions'),
  }),
  'payment_method_sessions.confirm': async (shop) => {
    const session = await newSession(shop, { token: 'btok_test_success' })
    const bank = { us_bank_account: { token: 'btok_test_success' }, billing_details, ach_authorization }
    return {
      path: confirmPath(session),
      key: shop.keys.publishable,
      body: bank,
      // The method that is made of the session shows the billing details.
      readBack: ({ id }) => created(shop, '/payment-methods', { payment_method_session: id }),
    }
  },
  'payment_method_sessions.cancel': async (shop) => ({
    path: `/payment-method-sessions/${(await newSession(shop)).id}/cancel`,
    body: {},
  }),
  'payment_methods.create': async (shop) => ({
    path: '/payment-methods',
    body: { payment_method_session: (await confirmedSession(shop)).id },
  }),
  'payment_methods.detach': async (shop) => {
    const customer = await newCustomer(shop, `c-${crypto.randomUUID()}`)
    return { path: `/payment-methods/${(await newMethod(shop, { customer })).id}/detach`, body: {} }
  },
  'payments.create': async (shop) => ({
    path: '/payments',
    body: {
      amount: 500,
      currency: 'USD',
      payment_method_session: (await confirmedSession(shop)).id,
      ...words,
    },
    readBack: again(shop, '/payments'),
  }),
  'refunds.create': async (shop) => ({
    path: '/refunds',
    body: { payment: (await newPayment(shop)).id, amount: 100, reason: 'too late', metadata: words.metadata },
    readBack: again(shop, '/refunds'),
  }),
  'checkout_sessions.create': async (shop) => ({
    path: '/checkout-sessions',
    body: { ...checkout, ...words, customer_email: email, payment_method_types: ['card'], expires_in: 3600 },
    readBack: again(shop, '/checkout-sessions'),
  }),
  'checkout_sessions.expire': async (shop) => ({
    path: `/checkout-sessions/${(await newCheckout(shop)).id}/expire`,
    body: {},
  }),
  'webhook_endpoints.create': async (shop) => {
    await deleteEndpoints(shop)
    const body = { url: 'https://example.com/hooks', enabled_events: ['*'], description: 'Orders' }
    return { path: '/webhook-endpoints', body, readBack: again(shop, '/webhook-endpoints') }
  },
  'webhook_endpoints.update': async (shop) => {
    await deleteEndpoints(shop)
    const { id } = await newEndpoint(shop)
    const body = {
      url: 'https://example.com/other',
      enabled_events: ['*'],
      description: 'Orders',
      status: 'disabled',
    }
    return { path: `/webhook-endpoints/${id}`, body, readBack: again(shop, '/webhook-endpoints') }
  },
  'events.resend': async (shop) => {
    await deleteEndpoints(shop)
    await newPayment(shop)
    const { id } = await lastEvent(shop)
    return { path: `/events/${id}/resend`, body: { endpoint: (await newEndpoint(shop)).id } }
  },
}

function again({ send }: Shop, path: string): (answer: Body) => Promise<Body> {
  return async ({ id }) => (await send('GET', `${path}/${id}`)).body
}

async function created({ send }: Shop, path: string, body: object): Promise<Body> {
  return (await send('POST', path, { body })).body
}

/** Sixteen are the most there can be. */
async function deleteEndpoints({ send }: Shop): Promise<void> {
  const { data } = (await send('GET', '/webhook-endpoints?limit=100')).body
  for (const { id } of data) await send('DELETE', `/webhook-endpoints/${id}`)
}
