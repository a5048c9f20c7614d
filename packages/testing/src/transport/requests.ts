/**
 * What a host may answer itself, before the API sees it:
 *
 * - `bad_escapes`: a path with broken percent-encoding
 * - `methods`: methods beyond DELETE, GET, HEAD, OPTIONS, PATCH, POST and PUT
 * - `normalized_paths`: paths that a URL parser rewrites (`//`, `..`, `\`), as in every `Request`
 * - `mount_root`: the mount prefix itself, without anything below it
 * - `announced_bodies`: a body announced as too large and not sent yet, because a parser before the API waits for it
 * - `unread_bodies`: a body that is too large is refused by the API, but the rest of it is read by the host
 * - `parsed_bodies`: a body whose very bytes matter, because a parser before the API has changed or refused them
 */
export type HostAnswer =
  | 'bad_escapes'
  | 'methods'
  | 'normalized_paths'
  | 'mount_root'
  | 'announced_bodies'
  | 'unread_bodies'
  | 'parsed_bodies'

/** One request of the suite. `{name}` in `path`, headers and body stands for what the twins have under that name. */
export interface SuiteRequest {
  name: string
  method: string
  /** Relative to the base path, and sent unchanged. */
  path: string
  /** By default the secret key's; null: none. */
  authorization?: string | null
  /** In order, with repetitions. A body adds `Content-Type: application/json` unless one is given. */
  headers?: readonly (readonly [name: string, value: string])[]
  /** Whether its body comes without any `Content-Type`. */
  untyped?: boolean
  body?: string | Uint8Array
  chunked?: boolean
  /** The `HostAnswer` of hosts that may answer it themselves. */
  may_be?: HostAnswer
}

const origin = ['Origin', 'https://shop.example.com'] as const

const charge_body = '{"amount":1000,"currency":"usd","payment_method_session":"{confirmed}"}'
const declined_body = charge_body.replace('{confirmed}', '{declined}')
const confirm = '{"card":{"token":"tok_test_visa"},"billing_details":{"name":"Ada","postal_code":"94107"}}'

const reads: SuiteRequest[] = [
  { name: 'an object', method: 'GET', path: '/account' },
  { name: 'a list', method: 'GET', path: '/payments?limit=1' },
  { name: 'an object by its id', method: 'GET', path: '/payments/{payment}' },
  { name: 'an id that nothing has', method: 'GET', path: '/payments/nobody' },
  { name: 'an id in escapes', method: 'GET', path: '/payments/%70ay' },
  { name: 'an escaped slash in an id', method: 'GET', path: '/payments/a%2Fb' },
  { name: 'an escaped slash for one that parts', method: 'GET', path: '/payments%2F{payment}' },
  { name: 'an escaped NUL in an id', method: 'GET', path: '/payments/%00' },
  { name: 'an id of 5,000 characters', method: 'GET', path: `/payments/${'a'.repeat(5_000)}` },
  { name: 'an unknown path', method: 'GET', path: '/nowhere' },
  { name: 'the mount with a slash', method: 'GET', path: '/', may_be: 'mount_root' },
  { name: 'the mount itself', method: 'GET', path: '', may_be: 'mount_root' },
  { name: 'the mount itself with a query', method: 'GET', path: '?limit=1', may_be: 'mount_root' },
  { name: 'a slash at the end', method: 'GET', path: '/payments/' },
  { name: 'two slashes', method: 'GET', path: '//payments', may_be: 'normalized_paths' },
  { name: 'another case', method: 'GET', path: '/Payments' },
  { name: 'a dot segment', method: 'GET', path: '/payments/../account', may_be: 'normalized_paths' },
  { name: 'a backslash', method: 'GET', path: '/payments\\x', may_be: 'normalized_paths' },
  { name: 'a semicolon', method: 'GET', path: '/payments;a=1' },
  { name: 'an escape that is none', method: 'GET', path: '/payments/%zz', may_be: 'bad_escapes' },
  { name: 'an escape cut off', method: 'GET', path: '/payments/%e2%82', may_be: 'bad_escapes' },
  { name: 'a query that is empty', method: 'GET', path: '/payments?' },
  { name: 'a parameter twice', method: 'GET', path: '/payments?limit=1&limit=2' },
  { name: 'a parameter in brackets', method: 'GET', path: '/payments?limit[]=1&limit[a]=2' },
  { name: 'a parameter named __proto__', method: 'GET', path: '/payments?__proto__=1' },
  { name: 'a query with a broken escape', method: 'GET', path: '/payments?limit=%e2' },
  { name: 'a query with a question mark', method: 'GET', path: '/payments?status=?' },
  { name: 'a `limit` in other digits', method: 'GET', path: '/payments?limit=020' },
  { name: 'the description of the API', method: 'GET', path: '/openapi.json', authorization: null },
  { name: 'a body with a GET', method: 'GET', path: '/account', body: '{"a":1}' },
]

const deleting = { method: 'DELETE', path: '/webhook-endpoints/nobody' }
const preflight = { method: 'OPTIONS', authorization: null, headers: [origin] }

const methods: SuiteRequest[] = [
  { name: 'HEAD', method: 'HEAD', path: '/payments' },
  { name: 'HEAD of nothing', method: 'HEAD', path: '/nowhere' },
  { name: 'HEAD without a key', method: 'HEAD', path: '/account', authorization: null },
  { name: 'OPTIONS of a browser endpoint', ...preflight, path: '/payment-method-sessions/{session}' },
  {
    name: 'OPTIONS of a confirm',
    ...preflight,
    path: '/payment-method-sessions/{session}/confirm',
    headers: [
      origin,
      ['Access-Control-Request-Method', 'POST'],
      ['Access-Control-Request-Headers', 'authorization'],
    ],
  },
  { name: 'OPTIONS of another endpoint', ...preflight, path: '/payments' },
  { name: 'PUT', method: 'PUT', path: '/payments', body: '{}' },
  { name: 'PATCH', method: 'PATCH', path: '/payments', body: '{}' },
  { name: 'DELETE of nothing', ...deleting },
  { name: 'DELETE with a body', ...deleting, body: '{}' },
  { name: 'DELETE with a parameter in its body', ...deleting, body: '{"a":1}' },
  { name: 'a method of WebDAV', method: 'PROPFIND', path: '/payments', may_be: 'methods' },
]

const published = { authorization: 'Bearer {publishable}' }
const by_page = { ...published, headers: [origin] }
const its_session = '/payment-method-sessions/{session}'
const told = 'client_secret={client_secret}'

const keys: SuiteRequest[] = [
  { name: 'no key', method: 'GET', path: '/account', authorization: null },
  { name: 'another scheme', method: 'GET', path: '/account', authorization: 'Basic abc' },
  { name: 'an unknown key', method: 'GET', path: '/account', authorization: 'Bearer sk_test_unknown' },
  { name: 'a publishable key where a secret one is needed', method: 'GET', path: '/account', ...published },
  { name: 'a page that reads its session', method: 'GET', path: `${its_session}?${told}`, ...by_page },
  { name: 'a page without the client secret', method: 'GET', path: its_session, ...by_page },
  {
    name: 'a page that confirms its session',
    method: 'POST',
    path: `${its_session}/confirm?${told}`,
    ...by_page,
    body: confirm,
  },
]

const to_sessions = { method: 'POST', path: '/payment-method-sessions' }
const to_payments = { method: 'POST', path: '/payments' }
const having = (name: string, ...values: string[]) => ({
  headers: values.map((value) => [name, value] as const),
})
const under = (...keys: string[]) => ({ ...to_payments, ...having('Idempotency-Key', ...keys) })
const typed = (...types: string[]) => ({ ...to_sessions, ...having('Content-Type', ...types) })

const writes: SuiteRequest[] = [
  { name: 'a session', ...to_sessions, body: '{}' },
  { name: 'no body', ...to_sessions },
  { name: 'a body of no bytes', ...to_sessions, body: '' },
  { name: 'a chunked body', ...to_sessions, body: '{}', chunked: true },
  { name: 'a payment', ...under('order-1'), body: charge_body },
  { name: 'a payment that is declined', ...under('order-1'), body: declined_body },
  { name: 'a payment without an Idempotency-Key', ...to_payments, body: charge_body },
  { name: 'an Idempotency-Key with a space in it', ...under('a b'), body: charge_body },
  { name: 'a refused field', ...under('order-1'), body: '{"amount":"1000"}' },
  { name: 'a body beside a query', method: 'POST', path: '/payment-method-sessions?a=1', body: '{}' },
  { name: 'letters beyond ASCII', ...to_sessions, body: '{"é€😀":"\\u00e9"}' },
  { name: 'a number with a fraction', ...to_sessions, body: '{"amount":1.5}' },
  { name: 'a content type with parameters', ...typed('application/json; charset=utf-8'), body: '{}' },
  { name: 'another content type', ...typed('text/plain'), body: '{}' },
  { name: 'no content type', ...to_sessions, body: '{}', untyped: true },
  { name: 'a content type that is none', ...typed(';;;'), body: '{}' },
  { name: 'a form', ...typed('application/x-www-form-urlencoded'), body: 'a=1' },
]

/** Hosts differ in what they keep of these: the first, the last, or all. */
const repeated: SuiteRequest[] = [
  { name: 'two keys', method: 'GET', path: '/account', ...having('Authorization', 'Bearer sk_test_unknown') },
  { name: 'a key twice', method: 'GET', path: '/account', ...having('Authorization', 'Bearer {secret}') },
  { name: 'two content types', ...typed('application/json', 'text/plain'), body: '{}' },
  { name: 'two Idempotency-Keys', ...under('a', 'b'), body: charge_body },
]

const list = { method: 'GET', path: '/payments?limit=1' }
const long_ahead = 'Fri, 31 Dec 2100 23:59:59 GMT'

/** What many hosts do by themselves on request. The API does none of it, and hosts must not change its responses. */
const for_hosts: SuiteRequest[] = [
  {
    name: 'a list, which may come compressed',
    ...list,
    ...having('Accept-Encoding', 'gzip, deflate, br, zstd'),
  },
  { name: 'a list, if it is another than the client has', ...list, ...having('If-None-Match', '*') },
  { name: 'a list, if it has changed since', ...list, ...having('If-Modified-Since', long_ahead) },
  { name: 'a part of a list', ...list, ...having('Range', 'bytes=0-9') },
  {
    name: 'another method in a header',
    ...to_payments,
    ...having('X-HTTP-Method-Override', 'GET'),
    body: '{}',
  },
]

/** A write and a read, for all that is tested besides what each request is answered. */
export const charge: SuiteRequest = { name: 'a charge', ...under('Order-1'), body: charge_body }
export const read: SuiteRequest = { name: 'a read', method: 'GET', path: '/payments/{payment}' }

/** Every transport must answer each of these as the plain handler does. */
export const suite_requests: readonly SuiteRequest[] = [
  reads,
  methods,
  keys,
  writes,
  repeated,
  for_hosts,
].flat()
