import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { receivedIn } from './home.ts'

/** A webhook as it came in. */
export interface Received {
  event: string
  signature: string
  body: string
}

/** Accepts every webhook, and writes it down in the home it came from before it answers. */
export async function openReceiver(): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer(async (request, response) => {
    const { 'x-home': folder, 'service-event-id': event, 'service-signature': signature } = request.headers
    const received = { event, signature, body: await text(request) }
    appendFileSync(receivedIn({ folder: String(folder), database: null }), `${JSON.stringify(received)}\n`)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
