import type { SuiteRequest } from './requests.ts'

/** The largest body that the API takes. */
export const limit_bytes = 262_144

/** Exactly of this size, so that a limit that is off by one byte is noticed. */
const json_at = (size_bytes: number) => `{"name":${' '.repeat(size_bytes - '{"name":1}'.length)}1}`

/** Bodies whose bytes matter: a parser before the API hides what is wrong with them, or refuses them itself. */
export const body_requests: readonly SuiteRequest[] = [
  { name: 'broken JSON', body: '{"amount":' },
  { name: 'JSON that is no object', body: '[1]' },
  { name: 'JSON that is a word', body: 'null' },
  { name: 'spaces only', body: '  ' },
  { name: 'a field twice', body: '{"customer":null,"customer":null}' },
  { name: 'a field named __proto__', body: '{"__proto__":{"amount":1}}' },
  { name: 'a number that is not exact', body: '{"amount":1e400}' },
  { name: 'a NUL in a string', body: '{"customer":"\\u0000"}' },
  { name: 'a lone surrogate', body: '{"customer":"\\ud800"}' },
  { name: 'bytes that are no UTF-8', body: Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d) },
  { name: 'a byte order mark', body: '\ufeff{}' },
  { name: '33 arrays in each other', body: `{"a":${'['.repeat(33)}${']'.repeat(33)}}` },
  { name: 'a body of 256 KiB', body: json_at(limit_bytes) },
  { name: 'a body of 256 KiB in chunks', body: json_at(limit_bytes), chunked: true },
  { name: 'one byte more', body: json_at(limit_bytes + 1) },
  { name: 'one byte more in chunks', body: json_at(limit_bytes + 1), chunked: true },
].map((request) => ({
  method: 'POST',
  path: '/payment-method-sessions',
  may_be: 'parsed_bodies',
  ...request,
}))
