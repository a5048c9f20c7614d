import { once } from 'node:events'
import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { describeTransport } from '../../testing/src/describe-transport.ts'
import { createHandler } from '../src/handler.ts'
import { toNodeListener } from '../src/node.ts'

describeTransport(
  'node:http2',
  async (engine) => {
    const server = createServer(toNodeListener(createHandler(engine))).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const close = async () => void server.close()
    return { origin: `http://127.0.0.1:${port}`, base_path: '/v1', remote_address: '127.0.0.1', close }
  },
  { http2: true },
)
