import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
// Not the global: in a host's tests that may be a fake, which never calls back.
import { setImmediate } from 'node:timers'
import { createIds, option, refuseWrongOptions } from '@quittance/core'
import { type Body, body_limit_bytes, type HostRequest, http2StreamOf, readBody } from './body-source.ts'
import type { FetchHandler } from './fetch.ts'
import { joinedHeaders } from './joined-headers.ts'
import {
  addressFrom,
  escapedFault,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  isBodiless,
  isRefused,
} from './message.ts'
import { unreadable } from './unreadable-requests.ts'

/** How long, and up to how many bytes, a refused upload is discarded so that its sender can read the response. */
const linger_ms = 1_000
const linger_bytes = 4 * body_limit_bytes

export interface NodeOptions {
  /** The client's address, for a host behind a proxy. By default the socket's. */
  remoteAddress?: ((req: IncomingMessage) => string | null) | undefined
}

export type NodeListener = (
  req: HostIncoming | Http2ServerRequest,
  res: ServerResponse | Http2ServerResponse,
) => void

/** Express and similar frameworks cut the mount prefix off `url` and keep the whole in `originalUrl`. */
type HostIncoming = HostRequest & { originalUrl?: string }

/**
 * `http.createServer(toNodeListener(handler))`, or one of `node:http2`. Takes a plain handler or a fetch handler.
 */
export function toNodeListener(handler: HttpHandler | FetchHandler, options: NodeOptions = {}): NodeListener {
  refuseWrongOptions('toNodeListener', options, { remoteAddress: option.call })
  const handle = handler && 'http' in handler ? handler.http : handler
  if (typeof handle !== 'function') throw new TypeError('A handler is what `createHandler(engine)` gives.')
  const remoteAddress = options.remoteAddress ?? socketAddress
  const listener = (req: HostIncoming, res: ServerResponse) =>
    void serve({ handle, req, res, body: () => readBody(req) }, () => ({
      target: req.originalUrl ?? req.url ?? '/',
      ...addressFrom(() => remoteAddress(req)),
    }))
  // Node's requests and responses over HTTP/2 differ in type, but not in what is used here.
  return listener as NodeListener
}

/** One request on a Node socket, whichever framework received it. */
export interface SocketExchange {
  handle: HttpHandler
  req: HostRequest
  res: ServerResponse
  body: () => Body | Promise<Body>
}

/** What each framework provides in its own way. */
type Seen = Pick<HttpRequest, 'target' | 'mount' | 'remote_address' | 'fault'>

const ids = createIds()

/** Never rejects. */
export async function serve(
  { handle, req, res, body: read }: SocketExchange,
  see: () => Seen,
): Promise<void> {
  let finish = answer
  try {
    // HTTP/1.1 requires this refusal (RFC 9112, 3.2), even of a server that needs no `Host`.
    if (req.httpVersion === '1.1' && req.headers.host === undefined)
      return answerAndHangUp(req, res, unreadable(ids))
    const reading = read()
    const body = reading instanceof Promise ? await reading : reading
    // Half a body is not a request. The client is gone, or a stream of the host broke and nothing else will hang up.
    if (body === null) return void res.destroy()
    if (isRefused(body) && !req.complete) finish = http2StreamOf(req) ? answerAndReset : answerAndHangUp
    const method = req.method === 'HEAD' ? 'GET' : (req.method ?? 'GET')
    const over = endOfTurn()
    const response = await handle({ method, headers: joinedHeaders(req), body, ...see() })
    await over
    finish(req, res, response)
  } catch {
    finish(req, res, escapedFault)
  }
}

let turn: Promise<void> | undefined

/**
 * Requests read in one turn of the event loop are answered together at its end. Waking the process that waits for a
 * response costs more than writing it, and later responses find it awake. Measured: 1.4 times the GETs per second.
 */
function endOfTurn(): Promise<void> {
  turn ??= new Promise((resolve) => {
    setImmediate(() => {
      turn = undefined
      resolve()
    })
  })
  return turn
}

function answer(req: IncomingMessage, res: ServerResponse, response: HttpResponse) {
  if (!isOpen(res)) return
  res.writeHead(response.status, headersOf(response))
  if (req.method === 'HEAD' || isBodiless(response.status)) res.end()
  else res.end(response.body)
}

/**
 * Answers a client that is still sending. Closing at once, with its bytes unread, would reset the connection and could
 * lose the response. So the rest is discarded for a while before the connection is closed.
 */
function answerAndHangUp(req: IncomingMessage, res: ServerResponse, response: HttpResponse) {
  if (!isOpen(res)) return
  res.writeHead(response.status, { ...headersOf(response), connection: 'close' })
  if (req.method === 'HEAD' || isBodiless(response.status)) res.flushHeaders()
  else res.write(response.body)

  let discarded_bytes = 0
  const hangUp = () => {
    clearTimeout(timer)
    if (!res.destroyed) res.end()
  }
  const timer = setTimeout(hangUp, linger_ms).unref()
  req.on('error', hangUp).once('end', hangUp).once('close', hangUp)
  req.on('data', (chunk: Buffer | string) => {
    discarded_bytes += chunk.length
    if (discarded_bytes > linger_bytes) hangUp()
  })
  req.resume()
}

/** The same over HTTP/2, where a stream can be reset alone, without losing the response (RFC 9113, 8.1). */
function answerAndReset(req: HostRequest, res: ServerResponse, response: HttpResponse) {
  answer(req, res, response)
  req.resume()
  http2StreamOf(req)?.close()
}

/** False if the client is gone, or the host has already answered (after a timeout of its own). */
const isOpen = (res: ServerResponse) => !res.destroyed && !res.headersSent

const headersOf = ({ status, headers, body }: HttpResponse) =>
  isBodiless(status) ? headers : { ...headers, 'content-length': Buffer.byteLength(body) }

const socketAddress = (req: IncomingMessage) => req.socket.remoteAddress ?? null
