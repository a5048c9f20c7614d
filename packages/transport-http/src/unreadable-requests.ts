import type { Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { createIds, errorBody, type Ids, newRequestId } from '@quittance/core'
import { commonHeaders } from './exchange.ts'
import type { HttpResponse } from './message.ts'

/** The servers that it was called for: two responses to one request are worse than none. */
const answered = new WeakSet<Server>()

/**
 * For a bare node:http server, which refuses some requests before any handler sees them: a malformed request line, headers
 * that are too large, an unknown expectation, `CONNECT`. Has it answer `400 parameter_invalid`, in the envelope and with
 * the headers of every other response, instead of a bare status line or nothing. Node itself refuses a request without
 * `Host`, unless the server was made with `requireHostHeader: false`: then the listener does.
 */
export function answerUnreadableRequests(server: Server, ids: Ids = createIds()): void {
  if (answered.has(server)) return
  answered.add(server)
  const waiting = new WeakSet<Duplex>()
  server.on('clientError', (_fault, socket) => {
    // Node reports the fault again with every chunk that comes after it. To close now could lose the response.
    if (waiting.has(socket)) return
    if (!socket.writable) return socket.destroy()
    waiting.add(socket)
    refuseInTurn(socket, ids)
  })
  // In a handshake of node:https no response is possible, and Node hangs up only if nothing listens for `clientError`.
  server.on('tlsClientError', (_fault: Error, socket: Duplex) => socket.destroy())
  server.on('checkExpectation', (_req, res) => {
    const { status, headers, body } = unreadable(ids)
    res.writeHead(status, headers).end(body)
  })
  server.on('connect', (_req, socket) => {
    // Unless the host tunnels.
    if (server.listenerCount('connect') !== 1) return
    // Node has detached it: an error without a listener would end the process, and `end` never comes unless it is read.
    socket.on('error', () => socket.destroy()).resume()
    refuseInTurn(socket, ids)
  })
}

/**
 * Refuses after the responses to earlier requests on the connection: a client takes whatever comes next for the response
 * to its oldest request. A request that is still being sent is the unreadable one itself, and this is its response.
 */
function refuseInTurn(socket: Duplex & Answering, ids: Ids): void {
  const before = socket._httpMessage
  if (before?.req.complete) {
    before.once('close', () => {
      if (socket.writable) refuseInTurn(socket, ids)
    })
    return
  }
  const { headers, body } = unreadable(ids)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}connection: close\r\n\r\n${body}`)
  hangUp(socket)
}

/** How long a client may take to read the refusal and hang up. */
const linger_ms = 1_000

/** Needed because Node has handed the socket over, and no longer times it out. */
function hangUp(socket: Duplex): void {
  const timer = setTimeout(() => socket.destroy(), linger_ms).unref()
  socket.once('close', () => clearTimeout(timer))
}

/** Node's private record of the response whose turn it is, which Node uses for the same purpose. */
interface Answering {
  _httpMessage?: ServerResponse | null
}

/** The response to a request that is not HTTP, or lacks what HTTP/1.1 requires. */
export function unreadable(ids: Ids): HttpResponse {
  const request_id = newRequestId(ids)
  const message = 'The request could not be read as HTTP.'
  const body = JSON.stringify(errorBody({ code: 'parameter_invalid', message }, request_id))
  const content = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  return { status: 400, headers: { ...commonHeaders(request_id), ...content }, body }
}
