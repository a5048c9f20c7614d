import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Event } from '@quittance/core'
import { systemClock } from '@quittance/core/clock'
import { err, ok, type Result } from '@quittance/core/result'

export type SignatureRefusal =
  | 'header missing'
  | 'header malformed'
  | 'timestamp out of tolerance'
  | 'no matching signature'
export type WebhookRefusal = SignatureRefusal | 'body is not an event'

/** A header as `node:http` types it. More than one value is a forgery: the service sends one. */
export type HeaderValue = string | readonly string[] | undefined | null

export interface VerifyOptions {
  /** The receiver's clock: a `Date`, or seconds since 1970. Default: now. */
  now?: number | Date | undefined
  /** How far `t` may lie from `now`, into the past and into the future alike. Default 300. */
  toleranceSeconds?: number | undefined
}

/** How old a signature may be (specification: Limits). */
const default_tolerance_seconds = 300

/** Room for about thirty `v1` entries; a sender uses one. Longer headers are refused unread. */
const max_header_length = 2048

/** The header's value. The whole secret is the key, its `whsec_` included (specification: Delivery, 3). */
export function signatureHeader(secret: string, t_seconds: number, body: Uint8Array | string): string {
  return `t=${t_seconds},v1=${digest(secret, String(t_seconds), body).toString('hex')}`
}

/**
 * Verifies a delivery and reads its event (specification: Delivery, 3). Pass the body as received: once parsed and
 * serialized again, it is no longer what was signed. Pass several secrets while one is being rotated.
 *
 * A body with a valid signature was rendered by the service, so it is trusted and not validated again: any JSON object
 * passes, including event types that this version does not know.
 */
export function verifyWebhook(
  rawBody: Uint8Array | string,
  header: HeaderValue,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Result<Event, WebhookRefusal> {
  const verified: Result<number, WebhookRefusal> = verifySignature(rawBody, header, secret, options)
  return verified.andThen(() => readEvent(rawBody))
}

/** Verifies only the signature, of any bytes. The value is `t`, the sending time in seconds since 1970. */
export function verifySignature(
  rawBody: Uint8Array | string,
  header: HeaderValue,
  secret: string | readonly string[],
  {
    now = systemClock.real() / 1000,
    toleranceSeconds = default_tolerance_seconds,
    ...unknown
  }: VerifyOptions = {},
): Result<number, SignatureRefusal> {
  for (const name of Object.keys(unknown))
    throw new TypeError(`The options are \`now\` and \`toleranceSeconds\`, not \`${name}\`.`)
  const secrets = typeof secret === 'string' ? [secret] : secret
  // An unset variable must not become the empty key, with which anybody can sign.
  if (!secrets?.length || !secrets.every((each) => typeof each === 'string' && each !== ''))
    throw new TypeError('A webhook secret is missing or empty')
  if (!(typeof rawBody === 'string' || ArrayBuffer.isView(rawBody)))
    throw new TypeError('The body is verified as it was received, a string or bytes, before it is parsed')
  const [value, ...more] = [header].flat()
  if (typeof value !== 'string' || value === '') return err('header missing')

  const parsed = more.length === 0 ? parseHeader(value) : null
  if (parsed === null) return err('header malformed')

  const t_seconds = Number(parsed.t)
  const age_seconds = Math.abs(secondsOf(now) - t_seconds)
  // This way round, NaN from an invalid `now` or tolerance is refused.
  const fresh = age_seconds <= toleranceSeconds
  if (!fresh) return err('timestamp out of tolerance')

  const expected = secrets.map((each) => digest(each, parsed.t, rawBody))
  const matches = parsed.signatures.some((given) => expected.some((each) => timingSafeEqual(given, each)))
  return matches ? ok(t_seconds) : err('no matching signature')
}

/**
 * `t` exactly once, in plain digits; at least one `v1` of 64 lower-case hex digits; other schemes ignored. No name has
 * white space: `node:http` and `fetch` put some between the values of a header that was sent twice.
 */
function parseHeader(header: string): { t: string; signatures: Buffer[] } | null {
  if (header.length > max_header_length) return null
  let t: string | null = null
  const signatures: Buffer[] = []
  for (const entry of header.split(',')) {
    const [, name, value] = /^([^=\s]+)=(.*)$/.exec(entry) ?? []
    if (value === undefined) return null
    if (name === 't') {
      if (t !== null || !/^(0|[1-9][0-9]{0,11})$/.test(value)) return null
      t = value
    }
    if (name === 'v1' && /^[0-9a-f]{64}$/.test(value)) signatures.push(Buffer.from(value, 'hex'))
  }
  return t === null || signatures.length === 0 ? null : { t, signatures }
}

function digest(secret: string, t: string, body: Uint8Array | string): Buffer {
  return createHmac('sha256', secret).update(`${t}.`).update(body).digest()
}

function secondsOf(now: number | Date): number {
  // As seconds this is the year 5138. Until then, a larger number is a time in milliseconds.
  if (typeof now === 'number' && now > 1e11) throw new TypeError('`now` is in seconds, or a Date.')
  return Math.floor(typeof now === 'number' ? now : now.getTime() / 1000)
}

function readEvent(rawBody: Uint8Array | string): Result<Event, 'body is not an event'> {
  const text = typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody)
  const value = parseJson(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? ok(value as Event) : err('body is not an event')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
