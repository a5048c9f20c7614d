import type { Server } from 'node:http'
import { createIds, errorBody, type Ids } from '@quittance/core'
import { commonHeaders } from './exchange.ts'

/**
 * Gives a bare node:http server the API's own answer when node refuses a request before any handler sees it
 * (a broken request line, headers that are too large, an unknown expectation): `400 parameter_invalid`, in the
 * envelope and with the headers of every other answer, instead of a bare status line.
 */
export function answerUnreadableRequests(server: Server, ids: Ids = createIds()): void {
  server.on('clientError', (_fault, socket) => {
    if (!socket.writable) return socket.destroy()
    const { headers, body } = refusal(ids)
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}connection: close\r\n\r\n${body}`)
  })
  server.on('checkExpectation', (_req, res) => {
    const { headers, body } = refusal(ids)
    res.writeHead(400, headers).end(body)
  })
}

function refusal(ids: Ids): { headers: Record<string, string>; body: string } {
  const request_id = `req_${ids.secret(24)}`
  const message = 'The request could not be read as HTTP.'
  const body = JSON.stringify(errorBody({ code: 'parameter_invalid', message }, request_id))
  const content = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
  return { headers: { ...commonHeaders(request_id), ...content }, body }
}
