import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Listening {
  server: Server
  origin: string
}

/** A server on an origin of its own, without a handler yet; closed with the test. */
export async function listen(): Promise<Listening> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
