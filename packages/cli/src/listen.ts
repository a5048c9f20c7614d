import type { Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'

/** On the loopback interface only: this server's keys are in a file. */
export function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      server.removeListener('error', reject)
      resolve(addressOf((server.address() as AddressInfo).port))
    })
  })
}

/** Rejects if the port is in use. Does not listen itself, which would make others think that the server is there. */
export function assertFree(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve())
    socket.once('connect', () => {
      socket.destroy()
      reject(new Error(`port ${port} is in use: stop what listens there, or set PORT`))
    })
  })
}

export function addressOf(port: number): string {
  return `http://127.0.0.1:${port}`
}

/** Lets requests under way finish; connections that are merely kept open are closed at once. */
export async function closeServer(server: Server): Promise<void> {
  // Asks clients that keep sending requests on a connection to close it, instead of cutting them off during a response.
  server.prependListener('request', (_req, res) => res.setHeader('Connection', 'close'))
  const closed = new Promise((resolve) => server.close(resolve))
  const patience = setTimeout(() => server.closeAllConnections(), 5_000)
  await closed
  clearTimeout(patience)
}
