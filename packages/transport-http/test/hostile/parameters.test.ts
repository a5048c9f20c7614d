import { catalogue } from '@quittance/core'
import { describe, expect, it } from 'vitest'
import { naughty_strings } from '../../../testing/src/transport/naughty-strings.ts'
import { routes } from '../../src/routes.ts'
import { newCheckout, newMethod, newPayment, newSession } from '../purchases.ts'
import type { Shop } from '../shop.ts'
import { databases, shopsOn } from './stores.ts'
import { textFieldsOf } from './text-fields.ts'

const open = shopsOn()

/** What looks like an id and is none, or none of this list. */
const ids: Readonly<Record<string, string>> = {
  'a prefix alone': 'pay_test_',
  'an id of nothing': 'pay_test_000000000000000000000000',
  'an id with letters too many': 'pay_test_0000000000000000000000000',
  'an id in capitals': 'PAY_TEST_000000000000000000000000',
  'an id of the other environment': 'pay_live_000000000000000000000000',
  'an id with a blank behind': 'pay_test_000000000000000000000000 ',
  'an id with a NUL behind': 'pay_test_000000000000000000000000\u0000',
  'a UUID of nothing': '00000000-0000-0000-0000-000000000000',
  'a UUID in braces': '{00000000-0000-7000-8000-000000000000}',
  'a number': '1',
  'a long number': '9'.repeat(64),
  'the largest of letters': '\u{10ffff}'.repeat(32),
  '64 letters': 'z'.repeat(64),
  '65 letters': 'z'.repeat(65),
}

/** A URL holds no surrogates; a path loses its segment where it is empty. */
const texts = Object.entries({ ...naughty_strings, ...ids }).filter(
  ([, text]) => text !== '' && !/\p{Surrogate}/u.test(text) && encodeURIComponent(text).length < 4_000,
)

const by_id = routes.filter(({ path }) => path.includes('{id}'))
const lists = routes.filter(({ operation }) => operation.endsWith('.list'))

describe.each(databases)('a parameter on %s', (name) => {
  it.each(by_id)(
    'names nothing, whatever stands in the path of $method $path',
    async ({ method, path, operation }) => {
      const shop = await open(name)
      const in_browser = operation.endsWith('.confirm')
      const key = in_browser ? shop.keys.publishable : shop.keys.secret
      for (const [what, text] of texts) {
        const target = path.replace('{id}', encodeURIComponent(text)) + (in_browser ? '?client_secret=x' : '')
        const reply = await shop.send(method, target, { key, ...(method === 'POST' ? { body: {} } : {}) })
        const about = `${what}: ${reply.text.slice(0, 300)}`
        expect([400, 401, 404], about).toContain(reply.status)
        expect(Object.keys(catalogue), about).toContain(reply.body.error.code)
        if (method !== 'POST') expect(reply.body.error.code, about).toBe('resource_missing')
      }
    },
  )

  it.each(lists)('is a cursor only where it is the id of a record of $path', async ({ path }) => {
    const shop = await open(name)
    const records = await oneOfEach(shop)
    for (const [what, text] of [...texts, ...records.filter(([kind]) => kind !== path)]) {
      const reply = await shop.send('GET', `${path}?starting_after=${encodeURIComponent(text)}`)
      const { code, param } = reply.body.error ?? {}
      expect([reply.status, code, param], what).toEqual([400, 'parameter_invalid', 'starting_after'])
    }
  })

  it.each(lists)('is a filter that finds nothing, or refused, in $path', async ({ path, operation }) => {
    const shop = await open(name)
    const filters = textFieldsOf(operation).filter((field) => field.name !== 'starting_after')
    for (const field of filters) {
      for (const [what, text] of texts) {
        const reply = await shop.send('GET', `${path}?${field.name}=${encodeURIComponent(text)}`)
        const about = `${what} in ${field.name}: ${reply.text.slice(0, 300)}`
        if (reply.status === 200) expect(reply.body.data, about).toEqual([])
        else expect(reply.body.error.param, about).toBe(field.name)
        expect([200, 400], about).toContain(reply.status)
      }
    }
  })
})

/** An id of each of some lists, which is no cursor of any other. */
async function oneOfEach(shop: Shop): Promise<[path: string, id: string][]> {
  return [
    ['/payments', (await newPayment(shop)).id],
    ['/checkout-sessions', (await newCheckout(shop)).id],
    ['/payment-methods', (await newMethod(shop)).id],
    ['/payment-method-sessions', (await newSession(shop)).id],
  ]
}
