import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, expect, onTestFinished } from 'vitest'
import { type HttpHandler, isRefused } from '../src/message.ts'

/** Answers with what the handler was given, so that a test can see a whole request at once. */
export const echo: HttpHandler = async ({ body, headers, ...request }) => ({
  status: isRefused(body) ? 400 : 200,
  headers: { 'content-type': 'application/json', 'request-id': 'req_1' },
  body: JSON.stringify({
    ...request,
    accept: headers.accept ?? null,
    body: isRefused(body) ? body : Buffer.from(body).toString('latin1'),
  }),
})

/** A server on a free port, closed with the test. */
export async function listen(listener: RequestListener): Promise<{ port: number; url: string }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}` }
}

/** Sends bytes as they are, and gives everything received until the server hangs up. */
export async function sendRaw(port: number, ...parts: (string | Uint8Array)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('latin1').on('data', (text) => {
    received += text
  })
  // A reset is an end too: what had arrived by then is what counts.
  socket.on('error', () => undefined)
  for (const part of parts) socket.write(part)
  await new Promise((resolve) => socket.once('close', resolve))
  return received
}

/** For a whole test file: no request may end in an unhandled rejection or an uncaught exception. */
export function failOnEscapedFaults() {
  const faults: unknown[] = []
  const note = (fault: unknown) => void faults.push(fault)
  beforeEach(() => {
    faults.length = 0
    process.on('unhandledRejection', note).on('uncaughtException', note)
  })
  afterEach(async () => {
    // A rejection counts as unhandled only once the microtasks are done.
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', note).off('uncaughtException', note)
    expect(faults).toEqual([])
  })
}
