import type { IncomingMessage } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Readable } from 'node:stream'
import type { BodyRefused } from './message.ts'

/** The largest body that the API accepts, in bytes: this many are accepted, one more is not. */
export const body_limit_bytes = 262_144

/** Replaces a larger body: the API refuses the request with these words, after it has checked key and path. */
export const tooLarge: BodyRefused = { refused: `The body is larger than ${body_limit_bytes} bytes.` }
export const alreadyRead: BodyRefused = {
  refused: 'The body was read before it reached this API, and nothing was kept of it.',
}
export const emptyBody: Uint8Array = new Uint8Array(0)

/** What the host's own body parsers may have left behind. */
export interface HostBody {
  rawBody?: unknown
  body?: unknown
}

export interface HostRequest extends IncomingMessage, HostBody {
  /** The stream of a request over HTTP/2. */
  stream?: Pick<ServerHttp2Stream, 'aborted' | 'close' | 'endAfterHeaders'>
}

export const http2StreamOf = ({ httpVersionMajor, stream }: HostRequest) =>
  httpVersionMajor === 2 ? stream : undefined

/** Null if the client went away in the middle. */
export type Body = Uint8Array | BodyRefused | null

/**
 * The bytes of the body, whether this API is mounted before or after the host's body parsers. Takes the first of:
 * `rawBody`, a Buffer or string `body`, the unread stream, a parsed `body` as JSON again. The stream comes before a
 * parsed `body`, because a parser that did not run may still have left `{}` there.
 *
 * Not a promise if there is nothing to wait for, which saves a `GET` a turn of the microtask queue.
 */
export function readBody(req: HostRequest): Body | Promise<Body> {
  return readBodyFrom(req, { req, left: req })
}

/** The same for a host that has replaced the request's stream by another one. */
export function readBodyFrom(
  stream: Readable,
  { req, left }: { req: HostRequest; left: HostBody },
): Body | Promise<Body> {
  const kept = bytesOf(left.rawBody) ?? bytesOf(left.body)
  if (kept !== undefined) return withinLimit(kept)
  const declared = req.headers['content-length']
  if ((declared === undefined || declared === '0') && !mayBeUndeclared(req)) return emptyBody
  if (stream.readableDidRead || stream.readableEnded) return writtenAgain(left.body)
  return declaresTooMuch(declared) ? tooLarge : readStream(stream, req)
}

/** Whether a body may come without a length. HTTP/1 announces such a body; HTTP/2 announces only that there is none. */
function mayBeUndeclared(req: HostRequest): boolean {
  const http2 = http2StreamOf(req)
  return http2 ? !http2.endAfterHeaders : req.headers['transfer-encoding'] !== undefined
}

/** If so, the body is refused unread, so that a client waiting for `100 Continue` or the response gets one at once. */
export const declaresTooMuch = (content_length: string | null | undefined) =>
  Number(content_length) > body_limit_bytes

function readStream(stream: Readable, req: HostRequest): Promise<Body> {
  return new Promise((resolve) => {
    if (stream.destroyed) return resolve(null)
    const chunks: Buffer[] = []
    let size_bytes = 0
    const settle = (body: Body) => {
      // The error listener stays: a connection reset after this must not become an uncaught exception.
      stream.off('data', onData).off('end', onEnd).off('close', onGone)
      resolve(body)
    }
    const onData = (chunk: Buffer | string) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      size_bytes += bytes.length
      chunks.push(bytes)
      if (size_bytes <= body_limit_bytes) return
      stream.pause()
      settle(tooLarge)
    }
    const onGone = () => settle(null)
    const onEnd = () => {
      // Over HTTP/2 a client can break off without an error, and node ends the stream as if all had come.
      if (http2StreamOf(req)?.aborted) return onGone()
      settle(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size_bytes))
    }
    stream.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
    // A paused stream, such as one that decompresses a body for Fastify, does not flow for a listener alone.
    stream.resume()
  })
}

function writtenAgain(body: unknown): Uint8Array | BodyRefused {
  try {
    // `stringify` gives `undefined` for undefined, a function or a symbol.
    const text: string | undefined = JSON.stringify(body)
    return text === undefined ? alreadyRead : withinLimit(Buffer.from(text))
  } catch {
    return alreadyRead
  }
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (body instanceof Uint8Array) return body
  return typeof body === 'string' ? Buffer.from(body) : undefined
}

const withinLimit = (bytes: Uint8Array) => (bytes.length > body_limit_bytes ? tooLarge : bytes)
