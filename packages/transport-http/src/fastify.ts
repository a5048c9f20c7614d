import type { IncomingMessage } from 'node:http'
import type { Engine } from '@quittance/core'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Body, type HostBody, readBody, readBodyFrom } from './body-source.ts'
import { createHandler, type HandlerOptions } from './handler.ts'
import { serve } from './node.ts'

export interface FastifyPluginOptions extends Omit<HandlerOptions, 'remoteAddress'> {
  engine: Engine
  /** Fastify's own: where the plugin is mounted. `basePath` is below it, and by default the prefix itself. */
  prefix?: string
}

/**
 * `app.register(fastifyPlugin, { engine, prefix: '/v1' })`. It has parsers of its own, whatever the host has
 * registered. Answers leave on the socket itself: hooks that change answers (`onSend`) do not see them, all others run.
 */
export async function fastifyPlugin(
  app: FastifyInstance,
  { engine, prefix: _prefix, basePath = '', ...options }: FastifyPluginOptions,
): Promise<void> {
  const { http: handle } = createHandler(engine, { ...options, basePath: app.prefix + basePath })
  const respond = (request: FastifyRequest, reply: FastifyReply, body: () => Body | Promise<Body>) => {
    reply.hijack()
    const { raw: req, ip } = request
    return serve({ handle, req, res: reply.raw, body }, () => ({
      target: req.url ?? '/',
      remote_address: ip,
    }))
  }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    async (request: FastifyRequest, payload: IncomingMessage): Promise<Parsed> => {
      const left: HostBody = { rawBody: (request as HostBody).rawBody }
      return { bytes: await readBodyFrom(payload, { headers: request.headers, left }) }
    },
  )
  // A content type that Fastify cannot read is refused by the API, in its turn. All else is the host's error.
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (!/^FST_ERR_(CTP|ROUTE)_/.test(error.code)) throw error
    return respond(request, reply, () => readBody(request.raw))
  })
  const answer = (request: FastifyRequest, reply: FastifyReply) =>
    respond(request, reply, () => (request.body ? (request.body as Parsed).bytes : readBody(request.raw)))
  app.all('/*', answer)
  // The prefix itself, and methods that Fastify does not route. At the root these are the host's.
  if (app.prefix !== '') app.setNotFoundHandler(answer)
}

/** Boxed, because null is a body too: the client went away in the middle of it. */
interface Parsed {
  bytes: Body
}
