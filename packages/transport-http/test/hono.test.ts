import { Hono } from 'hono'
import { describeTransport } from '../../testing/src/describe-transport.ts'
import { createHandler } from '../src/handler.ts'
import { fetchListener, serve } from './node-transport-server.ts'

describeTransport(
  'Hono',
  (engine) => {
    const app = new Hono()
    const handler = createHandler(engine, { basePath: '/v1' })
    app.all('/v1/*', (c) => handler(c.req.raw))
    return serve(fetchListener(app.fetch), '/v1', null)
  },
  { host_answers: ['normalized_paths', 'unread_bodies'] },
)
