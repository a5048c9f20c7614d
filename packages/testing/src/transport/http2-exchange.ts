import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type ClientSessionOptions,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2'
import { answered_within_ms, type RawAnswer, type RawRequest } from './raw-http.ts'

/** One request over a connection of its own, in HTTP/2 without TLS. */
export async function exchangeOverHttp2(origin: string, request: RawRequest): Promise<RawAnswer> {
  const session = openSession(origin)
  try {
    return await exchangeOn(session, request)
  } finally {
    session.destroy()
  }
}

/** Lets Node's client send two keys, which it otherwise refuses. Its types have the option only for servers. */
const options: ClientSessionOptions & { strictSingleValueFields: boolean } = {
  strictSingleValueFields: false,
}

/** A connection that several requests may share. Its errors are reported by its streams. */
export function openSession(origin: string): ClientHttp2Session {
  return connect(origin, options).on('error', () => undefined)
}

export function exchangeOn(session: ClientHttp2Session, request: RawRequest): Promise<RawAnswer> {
  const stream = begun(session, request)
  stream.end(request.body)
  return answerOn(stream, request)
}

/** A request whose head is sent, and nothing of its body. */
export function begun(session: ClientHttp2Session, request: RawRequest): ClientHttp2Stream {
  return session.request(fieldsOf(request).flat(), { endStream: false })
}

/** The fields of a request, those of its line first. */
export function fieldsOf({
  method,
  target,
  headers,
  body,
  chunked,
}: RawRequest): (readonly [string, string])[] {
  const sized = body !== undefined && !chunked
  return [
    [':method', method],
    [':scheme', 'http'],
    [':authority', 'shop.example.com'],
    [':path', target],
    ...headers.map(([name, value]) => [name.toLowerCase(), value] as const),
    ...(sized ? [['content-length', String(Buffer.byteLength(body))] as const] : []),
  ]
}

/** Read by its events: an iterator would treat an upload that the server has stopped as a broken response. */
export async function answerOn(
  stream: ClientHttp2Stream,
  { method, target }: RawRequest,
): Promise<RawAnswer> {
  const chunks: Buffer[] = []
  const head: IncomingHttpHeaders & IncomingHttpStatusHeader = {}
  stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
  stream.on('response', (received) => Object.assign(head, received))
  const ended = new Promise<void>((resolve) => stream.once('end', resolve).once('close', resolve))
  stream
    .on('error', () => undefined)
    .setTimeout(answered_within_ms, () => stream.close(constants.NGHTTP2_CANCEL))
  await ended
  const { ':status': status, ...fields } = head
  if (status === undefined) throw new Error(`${method} ${target} was not answered in HTTP/2 without TLS.`)
  const headers = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
  return { status, headers, body: Buffer.concat(chunks).toString('latin1') }
}
