import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { endWhenTold } from '../child.ts'
import { wallClock } from './contender.ts'

/** A webhook receiver, alone in its process: reads each body to its end, answers 200, and reports on request when each came. */
let arrivals: [string, number][] = []
const server = createServer((req, res) => {
  arrivals.push([String(req.headers['service-event-id']), wallClock()])
  req.resume().once('end', () => res.writeHead(200, { 'content-length': 0 }).end())
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('message', () => {
  process.send?.(arrivals)
  arrivals = []
})
endWhenTold()
