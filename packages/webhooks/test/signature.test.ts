import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type HeaderValue, signatureHeader, verifySignature, verifyWebhook } from '../src/signature.ts'

interface Vector {
  name: string
  secret: string
  now: number
  header?: string
  header_recipe?: string
  body_base64: string
  verdict: 'accept' | 'refuse'
}

const corpus = new URL('../../testing/corpora/webhook-signatures.json', import.meta.url)
const vectors: Vector[] = JSON.parse(readFileSync(corpus, 'utf8'))

const secret = 'whsec_0123456789abcdef'
const t_seconds = 1_700_000_000
const body = '{"object":"event","id":"evt_test_1","type":"payment.succeeded"}'
const header = signatureHeader(secret, t_seconds, body)
const now = t_seconds

describe('the receiver compares the digest over timestamp, period and raw body', () => {
  it('has 48 recorded verdicts', () => expect(vectors).toHaveLength(48))

  it.each(vectors.map((vector) => [vector.name, vector.verdict, vector] as const))(
    '%s: %s',
    (_name, verdict, vector) => {
      const bytes = Buffer.from(vector.body_base64, 'base64')
      const given = vector.header ?? builtHeader(vector, bytes)
      const options = { now: vector.now }
      expect(verifySignature(bytes, given, vector.secret, options).isOk()).toBe(verdict === 'accept')
      expect(verifyWebhook(bytes, given, vector.secret, options).isOk()).toBe(verdict === 'accept')
    },
  )
})

describe('the header is the one stripe reads', () => {
  it('is accepted by an independent verifier', () => {
    const event = new Stripe('sk_test_none').webhooks.constructEvent(
      body,
      header,
      secret,
      undefined,
      undefined,
      now * 1000,
    )
    expect(event.id).toBe('evt_test_1')
  })

  it('is the same over a string and over its bytes', () => {
    const text = '{"name":"Zoë"}'
    expect(signatureHeader(secret, t_seconds, Buffer.from(text))).toBe(
      signatureHeader(secret, t_seconds, text),
    )
  })
})

describe('a refusal names its reason', () => {
  const refusal = (given: HeaderValue, text = body, at: number | Date = now) =>
    verifyWebhook(text, given, secret, { now: at })._unsafeUnwrapErr()

  it('tells a missing header from one that cannot be parsed', () => {
    expect(refusal(undefined)).toBe('header missing')
    expect(refusal(null)).toBe('header missing')
    expect(refusal('')).toBe('header missing')
    expect(refusal('bad')).toBe('header malformed')
    expect(refusal(`t=${t_seconds}, ${header.split(',')[1]}`)).toBe('header malformed')
  })

  it.each([
    [header.split(',')[0]],
    [header.split(',')[1]],
    [`${header},v1`],
    [`${header},=v2=1`],
    [`${header},v2=1\n`],
  ])('calls %j malformed: entries are pairs, t among them once and v1 at least once', (given) => {
    expect(refusal(given)).toBe('header malformed')
  })

  it.each([
    ...['+1700000000', ' 1700000000', '1700000000 ', '01700000000'],
    ...['1700000000.0', '1.7e9', '0x6553f100', '1700000000000', ''],
  ])('calls t=%j malformed, though it is what was signed', (t) => {
    const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
    expect(refusal(`t=${t},v1=${v1}`)).toBe('header malformed')
  })

  it('reads a header of 2048 characters and none that is longer', () => {
    const longest = `${header},v2=`.padEnd(2048, '0')
    expect(verifySignature(body, longest, secret, { now }).isOk()).toBe(true)
    expect(refusal(`${longest}0`)).toBe('header malformed')
  })

  it('takes the one header of a list, and calls several a forgery, though one of them is right', () => {
    expect(verifyWebhook(body, [header], secret, { now }).isOk()).toBe(true)
    expect(refusal([header, header])).toBe('header malformed')
    expect(refusal(['bad', header])).toBe('header malformed')
    expect(refusal([])).toBe('header missing')
    expect(refusal(['', header])).toBe('header missing')
  })

  it('calls a header that was sent twice malformed, also as `node:http` and `fetch` join the two', async () => {
    const values = [header, signatureHeader(secret, t_seconds + 1, body)]
    expect(refusal(await receivedByNode(values))).toBe('header malformed')
    const ofFetch = new Headers(values.map((value) => ['service-signature', value]))
    expect(refusal(ofFetch.get('service-signature'))).toBe('header malformed')
    expect(refusal(values)).toBe('header malformed')
  })

  it('tells an old timestamp from a wrong signature', () => {
    expect(refusal(header, body, now + 301)).toBe('timestamp out of tolerance')
    expect(refusal(header, body, new Date(Number.NaN))).toBe('timestamp out of tolerance')
    expect(refusal(header, `${body} `)).toBe('no matching signature')
  })

  it.each(['not json', '[]', 'null', '"event"', ''])('reports the signed body %j as no event', (text) => {
    expect(refusal(signatureHeader(secret, t_seconds, text), text)).toBe('body is not an event')
  })
})

describe('what the receiver may choose', () => {
  it('takes the clock as a date or in seconds, and answers the sending time', () => {
    expect(verifySignature(body, header, secret, { now: new Date(now * 1000 + 999) })._unsafeUnwrap()).toBe(
      t_seconds,
    )
    expect(verifySignature(body, header, secret, { now })._unsafeUnwrap()).toBe(t_seconds)
  })

  it('takes its own tolerance', () => {
    expect(verifySignature(body, header, secret, { now: now + 10, toleranceSeconds: 10 }).isOk()).toBe(true)
    expect(verifySignature(body, header, secret, { now: now + 11, toleranceSeconds: 10 }).isOk()).toBe(false)
  })

  it('reads the real clock by default, under which an old delivery is refused', () => {
    expect(verifySignature(body, header, secret).isOk()).toBe(false)
    const fresh = signatureHeader(secret, Math.floor(Date.now() / 1000), body)
    expect(verifySignature(body, fresh, secret).isOk()).toBe(true)
  })

  it('accepts any of several secrets while one is being replaced', () => {
    expect(verifyWebhook(body, header, ['whsec_other', secret], { now }).isOk()).toBe(true)
    expect(verifyWebhook(body, header, ['whsec_other'], { now }).isOk()).toBe(false)
  })

  it('throws on an empty secret, under which anybody could sign, and on one that is not there', () => {
    const empty = new TypeError('A webhook secret is missing or empty')
    expect(() => verifyWebhook(body, header, [], { now })).toThrow(empty)
    expect(() => verifyWebhook(body, signatureHeader('', t_seconds, body), '', { now })).toThrow(empty)
    expect(() => verifyWebhook(body, header, [secret, ''], { now })).toThrow(empty)
    for (const missing of [undefined, null, [secret, undefined]] as unknown as string[])
      expect(() => verifyWebhook(body, header, missing, { now })).toThrow(empty)
  })

  it('throws on a body that is parsed already, and on none', () => {
    const parsed = new TypeError(
      'The body is verified as it was received, a string or bytes, before it is parsed',
    )
    for (const not_raw of [JSON.parse(body), undefined] as unknown as string[])
      expect(() => verifyWebhook(not_raw, header, secret, { now })).toThrow(parsed)
  })

  it('gives the event as signed, of types it does not know too', () => {
    const future = '{"object":"event","id":"evt_test_2","type":"payment.imagined"}'
    const event = verifyWebhook(future, signatureHeader(secret, t_seconds, future), secret, { now })
    expect(event._unsafeUnwrap()).toEqual(JSON.parse(future))
  })
})

/** What a handler of `node:http` finds where the header was sent with each of these values. */
async function receivedByNode(values: string[]): Promise<HeaderValue> {
  const server = createServer((_request, response) => void response.end()).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  request({ port, method: 'POST', headers: { 'service-signature': values }, agent: false }).end()
  const [received]: IncomingMessage[] = await once(server, 'request')
  return received?.headers['service-signature']
}

/** Both recipes carry a right signature, so that only their size can be what refuses them. */
function builtHeader(vector: Vector, bytes: Buffer): string {
  const right = signatureHeader(vector.secret, vector.now, bytes)
  if (vector.header_recipe === '10 000 v1 entries') return right + `,v1=${'0'.repeat(64)}`.repeat(9_999)
  if (vector.header_recipe === 'header 1 MB') return `${right},v2=${'a'.repeat(1_000_000)}`
  throw new Error(`No recipe for ${vector.name}`)
}
