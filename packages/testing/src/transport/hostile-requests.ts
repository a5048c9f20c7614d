import { shop_urls } from '../builders/sales.ts'
import { broken_json } from './broken-json.ts'
import { naughty_strings } from './naughty-strings.ts'
import type { SuiteRequest } from './requests.ts'

const named = (prefix: string, [what]: [string, unknown]) => `${prefix}: ${what}`
const page = { amount: 500, currency: 'USD', ...shop_urls }

const documents = Object.entries(broken_json).map(
  (one): SuiteRequest => ({
    name: named('a body', one),
    method: 'POST',
    path: '/payment-method-sessions',
    body: one[1],
    may_be: 'parsed_bodies',
  }),
)

/** A parser before the API passes these on unchanged, except for what JSON can only escape, and what it finds too long. */
const texts = Object.entries(naughty_strings).map((one): SuiteRequest => {
  const body = JSON.stringify({ ...page, description: one[1], metadata: { text: one[1] } })
  const by_host = /\0|\p{Surrogate}/u.test(one[1]) || body.length > 50_000
  return {
    name: named('a description', one),
    method: 'POST',
    path: '/checkout-sessions',
    body,
    ...(by_host ? { may_be: 'parsed_bodies' } : {}),
  }
})

/** Without what a URL cannot contain, and what exceeds the hosts' own limit on a line. */
const addressable = Object.entries(naughty_strings).filter(
  ([, text]) => !/\p{Surrogate}/u.test(text) && encodeURIComponent(text).length < 4_000,
)

const queries = addressable.flatMap((one): SuiteRequest[] => {
  const value = encodeURIComponent(one[1])
  return [
    { name: named('a cursor', one), method: 'GET', path: `/payments?starting_after=${value}` },
    { name: named('a filter', one), method: 'GET', path: `/invoices?number=${value}` },
    { name: named('a limit', one), method: 'GET', path: `/events?limit=${value}` },
    { name: named('a parameter', one), method: 'GET', path: `/refunds?${value}=1` },
  ]
})

/** Without dot segments, which the URL parser resolves. */
const ids = addressable
  .filter(([, text]) => text !== '')
  .map(
    (one): SuiteRequest => ({
      name: named('an id', one),
      method: 'GET',
      path: `/payments/${encodeURIComponent(one[1])}`,
    }),
  )

/** Without blanks around them, which are not part of a value. */
const values = ['', 'x'.repeat(4_000), '"', 'a,b', 'a;b', 'a b', 'é', 'ÿþ', "1'; --", '{}', 'Bearer']

const headers = values.flatMap((value): SuiteRequest[] => [
  {
    name: `an Authorization of ${JSON.stringify(value).slice(0, 20)}`,
    method: 'GET',
    path: '/account',
    authorization: value,
  },
  ...['Idempotency-Key', 'Content-Type', 'X-Forwarded-For', 'Origin', 'Accept'].map(
    (name): SuiteRequest => ({
      name: `${name} of ${JSON.stringify(value).slice(0, 20)}`,
      method: 'POST',
      path: '/payment-method-sessions',
      headers: [[name, value]],
      body: '{}',
    }),
  ),
])

/** Sent one after another to the same two engines, which must answer alike. */
export const hostile_requests: readonly SuiteRequest[] = [
  ...documents,
  ...texts,
  ...queries,
  ...ids,
  ...headers,
]
