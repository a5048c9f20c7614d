import { type Store, type TableName, tables } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import {
  billing_details,
  checkout,
  confirmation,
  confirmPath,
  newCheckout,
  newMethod,
  newSession,
} from './purchases.ts'
import { fresh, openShop, type Reply, type Request, refusal, type Shop } from './shop.ts'

const number = '4242424242424242'
const account_number = '000123456789'

/** A body and the parameter that shows the details (none: the body does not parse). */
const cards: [what: string, body: object | string, param?: string][] = [
  ['a field named number', { card: { number: '42' } }, 'card.number'],
  ['a field named cvc', { cvc: 123 }, 'cvc'],
  ['a whole string that is a card number', { card: { token: number } }, 'card.token'],
  ['spaces and dashes', { description: ' 4242 4242-4242 4242' }, 'description'],
  ['a JSON number', { amount: 4242424242424242 }, 'amount'],
  ['an array', { payment_method_types: ['card', number] }, 'payment_method_types[1]'],
  ['metadata', { metadata: { note: '378282246310005' } }, 'metadata[note]'],
  ['the name of a field', { metadata: { [number]: 'x' } }, 'metadata'],
  ['an unknown field', { nonsense: [{ deep: { number: 1 } }] }, 'nonsense[0].deep.number'],
  ['a name that belongs to the path', { id: 'x', card: { number } }, 'card.number'],
  ['a body that breaks off', `{"card":{"number":"${number}"`],
  ['a name given twice', `{"cvc":"123","cvc":"123"}`],
  ['another content type', `card[number]=${number}`],
]
const accounts: [what: string, body: object | string, param?: string][] = [
  ['a field named account_number', { us_bank_account: { account_number } }, 'us_bank_account.account_number'],
  ['a field named routing_number', { routing_number: '110000000' }, 'routing_number'],
  ['a body that breaks off', `{"us_bank_account":{"account_number":"${account_number}"`],
]
const all = [
  ...cards.map(([what, body, param]) => ({ what, body, param, code: 'card_not_tokenized' })),
  ...accounts.map(([what, body, param]) => ({ what, body, param, code: 'bank_account_not_tokenized' })),
]

interface Target {
  path: string
  key?: string
  clean: object
}

/** Every route that takes a body about sessions, payment methods or payments, and a body it accepts. */
const targets: Record<string, (shop: Shop) => Promise<Target>> = {
  'POST /payment-method-sessions': async () => ({ path: '/payment-method-sessions', clean: {} }),
  'POST /payment-method-sessions/{id}/confirm': async (shop) => ({
    path: confirmPath(await newSession(shop)),
    key: shop.keys.publishable,
    clean: confirmation('tok_test_visa'),
  }),
  'POST /payment-method-sessions/{id}/cancel': async (shop) => ({
    path: `/payment-method-sessions/${(await newSession(shop)).id}/cancel`,
    clean: {},
  }),
  'POST /payment-methods': async (shop) => {
    const session = await newSession(shop)
    const body = { card: { token: 'tok_test_visa' }, billing_details }
    await shop.send('POST', confirmPath(session), { key: shop.keys.publishable, body })
    return { path: '/payment-methods', clean: { payment_method_session: session.id } }
  },
  'POST /payment-methods/{id}/detach': async (shop) => ({
    path: `/payment-methods/${(await newMethod(shop)).id}/detach`,
    clean: {},
  }),
  'POST /checkout-sessions': async () => ({ path: '/checkout-sessions', clean: checkout }),
  'POST /checkout-sessions/{id}/expire': async (shop) => ({
    path: `/checkout-sessions/${(await newCheckout(shop)).id}/expire`,
    clean: {},
  }),
  'POST /payments': async (shop) => ({
    path: '/payments',
    clean: { amount: 500, currency: 'USD', payment_method: (await newMethod(shop)).id },
  }),
}

describe.each(Object.entries(targets))('%s', (_route, target) => {
  it('refuses card and account details in the clear, and keeps nothing of them', async () => {
    const writes: string[] = []
    const shop = await openShop()
    const { path, key, clean } = await target(shop)
    for (const { what, body, param, code } of all) {
      const headers = {
        ...fresh(),
        ...(what === 'another content type' ? { 'content-type': 'text/plain' } : {}),
      }
      const send = (said: object | string): Promise<Reply> =>
        shop.send('POST', path, { body: said, headers, ...(key ? { key } : {}) } satisfies Request)
      expect({ what, ...refusal(await send(body)) }).toEqual({ what, status: 400, code, param })
      writes.push(await everythingIn(shop.store, shop.sandbox))
    }
    expect(new Set(writes).size).toBe(1)
    expect(shop.logged).toEqual([])

    // The key under which details were refused is as good as new.
    const headers = fresh()
    const details = await shop.send('POST', path, { body: { number }, headers, ...(key ? { key } : {}) })
    expect(refusal(details)).toEqual({ status: 400, code: 'card_not_tokenized', param: 'number' })
    const accepted = await shop.send('POST', path, { body: clean, headers, ...(key ? { key } : {}) })
    expect([accepted.status, accepted.headers.get('idempotent-replayed')]).toEqual([200, null])
  })

  it('finds them whatever is wrong with the query', async () => {
    const shop = await openShop()
    const { path, key } = await target(shop)
    const body = { card: { number } }
    const headers = fresh()
    for (const query of ['a=1', ...(key ? [] : ['a&a'])]) {
      const mark = path.includes('?') ? '&' : '?'
      const reply = await shop.send('POST', `${path}${mark}${query}`, {
        body,
        headers,
        ...(key ? { key } : {}),
      })
      expect(refusal(reply)).toMatchObject({ status: 400, code: 'card_not_tokenized' })
    }
  })

  it('repeats nothing of them in its answer', async () => {
    const shop = await openShop()
    const { path, key } = await target(shop)
    for (const { body } of all) {
      const reply = await shop.send('POST', path, { body, headers: fresh(), ...(key ? { key } : {}) })
      expect(reply.text).not.toMatch(/\d{9}/)
    }
  })
})

it('says so where the name of a field alone was taken for details', async () => {
  const shop = await openShop()
  const body = { ...checkout, metadata: { Number: 'INV-1001' } }
  const reply = await shop.send('POST', '/checkout-sessions', { body, headers: fresh() })
  expect(reply.body).toMatchObject({
    error: {
      code: 'card_not_tokenized',
      param: 'metadata[Number]',
      message: expect.stringMatching(/^No field may be named `Number`\. Card details must not reach/),
    },
  })
})

it('asks who confirms with a secret key for a publishable one', async () => {
  const shop = await openShop()
  const path = confirmPath(await newSession(shop))
  const reply = await shop.send('POST', path, { body: confirmation('tok_test_visa') })
  expect(reply.body).toMatchObject({
    error: { code: 'insufficient_scope', message: 'This request needs a publishable key.' },
  })
})

describe('what is no card number', () => {
  it.each([
    ['fails the Luhn check', '4242424242424241'],
    ['has no known prefix', '9999999999999995'],
    ['has twelve digits', '424242424242'],
    ['is part of a text', `order ${number}`],
  ])('is kept where it %s', async (_what, description) => {
    const shop = await openShop()
    const { id } = await newMethod(shop)
    const body = { amount: 500, currency: 'USD', payment_method: id, description }
    const reply = await shop.send('POST', '/payments', { body, headers: fresh() })
    expect([reply.status, reply.body.description]).toEqual([200, description])
  })
})

/** Every row of a scope, as text. */
async function everythingIn(store: Store, scope: Shop['sandbox']): Promise<string> {
  return store.read(scope, async (rows) => {
    const read = (Object.keys(tables) as TableName[]).map((name) =>
      rows[name].page({ where: {}, limit: 1000 }),
    )
    return JSON.stringify(await Promise.all(read))
  })
}
