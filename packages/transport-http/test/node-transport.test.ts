import { describeTransport } from '../../testing/src/describe-transport.ts'
import { createHandler } from '../src/handler.ts'
import { toNodeListener } from '../src/node.ts'
import { fetchListener, serve } from './node-transport-server.ts'

describeTransport('node:http', (engine) => serve(toNodeListener(createHandler(engine)), '/v1'))

describeTransport('node:http at the root', (engine) =>
  serve(toNodeListener(createHandler(engine, { basePath: '/' })), ''),
)

describeTransport('the fetch handler', (engine) => serve(fetchListener(createHandler(engine)), '/v1', null), {
  host_answers: ['normalized_paths', 'unread_bodies'],
})
