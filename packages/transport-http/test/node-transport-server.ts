import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

/** A server on a free port of the loopback, as the contract suite of transports wants it. */
export async function serve(
  listener: RequestListener,
  base_path: string,
  remote_address: string | null = '127.0.0.1',
) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { origin: `http://127.0.0.1:${port}`, base_path, remote_address, close }
}

/** Node's requests as `Request`s, as the runtimes around fetch handlers make them. */
export function fetchListener(handle: (request: Request) => Response | Promise<Response>): RequestListener {
  return async (req, res) => {
    const response = await handle(requestOf(req))
    res.writeHead(response.status, Object.fromEntries(response.headers))
    res.end(Buffer.from(await response.arrayBuffer()))
  }
}

function requestOf(req: IncomingMessage): Request {
  const { method = 'GET' } = req
  const headers = Object.entries(req.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  const bodiless =
    method === 'GET' ||
    method === 'HEAD' ||
    (!('content-length' in req.headers) && !('transfer-encoding' in req.headers))
  const url = req.url?.startsWith('http:') ? req.url : `http://${req.headers.host}${req.url}`
  if (bodiless) return new Request(url, { method, headers })
  return new Request(url, { method, headers, body: bodyOf(req), duplex: 'half' })
}

/** Canceled, it is read no further, and the connection stays for the answer. */
function bodyOf(req: IncomingMessage): ReadableStream<Uint8Array> {
  const chunks = Readable.prototype[Symbol.asyncIterator].call(req)
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => undefined,
  })
}
