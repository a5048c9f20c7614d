import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A webhook receiver, alone in its process, that reads each body to its end and answers 200. */
const server = createServer((req, res) => {
  req.resume().once('end', () => res.writeHead(200, { 'content-length': 0 }).end())
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.once('SIGTERM', () => process.exit(0))
