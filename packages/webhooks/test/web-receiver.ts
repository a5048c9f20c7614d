import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Received {
  method: string
  headers: IncomingHttpHeaders
  body: Buffer
}

export interface WebReceiver {
  url: string
  /** In the order in which they came. */
  received: Received[]
  /** Events whose answer is still out, and the most there ever were at a time. */
  running: string[]
  most: number
  /** Connections open now. */
  connections: number
  /** What it answers: a status, or a promise of one. */
  answer: (received: Received) => number | Promise<number>
}

/** A merchant's HTTP server on a free port, or on `port`. Answers `200` unless it is told something else. */
export async function webReceiver(answer: WebReceiver['answer'] = () => 200, port = 0): Promise<WebReceiver> {
  const self: WebReceiver = { url: '', received: [], running: [], most: 0, connections: 0, answer }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', headers } = request
    await serve(self, { method, headers, body: Buffer.concat(chunks) }, response)
  })
  server.on('connection', (socket) => {
    self.connections += 1
    socket.on('close', () => {
      self.connections -= 1
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  self.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return self
}

async function serve(self: WebReceiver, received: Received, response: ServerResponse): Promise<void> {
  const event = eventOf(received)
  self.received.push(received)
  self.running.push(event)
  self.most = Math.max(self.most, self.running.length)
  const status = await self.answer(received)
  self.running.splice(self.running.indexOf(event), 1)
  response.writeHead(status).end()
}

export const eventOf = ({ headers }: Received): string => String(headers['service-event-id'])

/** A receiver that lets nobody go before `open`, and everybody after. */
export function gate(status = 200) {
  const opened = Promise.withResolvers<number>()
  return { answer: () => opened.promise, open: () => opened.resolve(status) }
}
