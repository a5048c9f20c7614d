import type { IncomingMessage } from 'node:http'
import type { Engine } from '@quittance/core'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Body, type HostBody, readBody, readBodyFrom } from './body-source.ts'
import { refuseAddress } from './fetch.ts'
import { createHandler, type HandlerOptions } from './handler.ts'
import { addressFrom } from './message.ts'
import { serve } from './node.ts'
import { originForm } from './query.ts'

export interface FastifyPluginOptions extends Omit<HandlerOptions, 'remoteAddress'> {
  engine: Engine
  /** Fastify's own option: where the plugin is mounted. `basePath` is relative to it, by default the prefix itself. */
  prefix?: string | undefined
}

/** Other options of Fastify's own, which come with those of the plugin. */
interface Registering {
  logLevel?: unknown
  logSerializers?: unknown
}

/**
 * `app.register(fastifyPlugin, { engine, prefix: '/v1' })`. Uses its own body parsers, whatever the host has
 * registered. Writes responses to the socket itself: hooks that change responses (`onSend`) do not run, all others do.
 */
export async function fastifyPlugin(
  app: FastifyInstance,
  given: FastifyPluginOptions & Registering,
): Promise<void> {
  if (typeof app?.register !== 'function')
    throw new TypeError('Fastify calls the plugin: `app.register(fastifyPlugin, { engine, prefix })`.')
  const { engine, basePath = '', ...registered } = given
  refuseAddress(registered, 'trustProxy')
  const { prefix: _prefix, logLevel: _level, logSerializers: _serializers, ...options } = registered
  const { http: handle } = createHandler(engine, { ...options, basePath })
  // Its segments as sent: a prefix may have parameters, as `/:tenant/v1` has.
  const segments = app.prefix.replace(/\/$/, '').split('/').length - 1
  const prefix = new RegExp(`^(/[^/?]*){${segments}}`)
  const respond = (request: FastifyRequest, reply: FastifyReply, body: () => Body | Promise<Body>) => {
    reply.hijack()
    const { raw: req } = request
    // Now, because the client may be gone by the time its body was read.
    const address = addressFrom(() => request.ip)
    return serve({ handle, req, res: reply.raw, body }, () => ({
      target: req.url ?? '/',
      mount: prefix.exec(originForm(req.url ?? '/'))?.[0] ?? '',
      ...address,
    }))
  }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    '*',
    async (request: FastifyRequest, payload: IncomingMessage): Promise<Parsed> => {
      const left: HostBody = { rawBody: (request as HostBody).rawBody }
      return { bytes: await readBodyFrom(payload, { req: request.raw, left }) }
    },
  )
  // The API itself answers what Fastify refuses to parse, as for its content type. Other errors are the host's.
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (!/^FST_ERR_(CTP|ROUTE)_/.test(error.code)) throw error
    return respond(request, reply, () => readBody(request.raw))
  })
  const answer = (request: FastifyRequest, reply: FastifyReply) =>
    respond(request, reply, () => (request.body ? (request.body as Parsed).bytes : readBody(request.raw)))
  app.all('/*', answer)
  // Also the prefix itself, and methods that Fastify does not route. At the root those belong to the host.
  if (app.prefix !== '') app.setNotFoundHandler(answer)
}

/** Boxed, because a `Body` can be null: the client went away in the middle. */
interface Parsed {
  bytes: Body
}
