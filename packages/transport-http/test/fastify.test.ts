import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip, gzipSync } from 'node:zlib'
import type { Engine } from '@quittance/core'
import fastify, { type FastifyInstance } from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeTransport } from '../../testing/src/describe-transport.ts'
import { fastifyPlugin } from '../src/fastify.ts'
import { confirmation, confirmPath, newSession } from './purchases.ts'
import { openShop } from './shop.ts'

/** A host that mounts the API in its way. */
function host(mount: (app: FastifyInstance, engine: Engine) => void, base_path = '/v1') {
  return async (engine: Engine) => {
    // The default is 72 s, and a client of the suite reads until the host hangs up.
    const app = fastify({ forceCloseConnections: true, keepAliveTimeout: 2_000 })
    mount(app, engine)
    const origin = await app.listen({ port: 0, host: '127.0.0.1' })
    return { origin, base_path, remote_address: '127.0.0.1', close: () => app.close() }
  }
}

describeTransport(
  'Fastify',
  host((app, engine) => app.register(fastifyPlugin, { engine, prefix: '/v1' })),
  {
    host_answers: ['bad_escapes'],
  },
)

describeTransport(
  'Fastify, under a prefix with a parameter',
  host((app, engine) => app.register(fastifyPlugin, { engine, prefix: '/:tenant/v1' }), '/acme%20co/v1'),
  {
    host_answers: ['bad_escapes'],
  },
)

describeTransport(
  'Fastify at the root',
  host((app, engine) => app.register(fastifyPlugin, { engine }), ''),
  {
    host_answers: ['bad_escapes', 'methods'],
  },
)

describeTransport(
  'Fastify, in a plugin of a host with parsers, hooks and handlers of its own',
  host((app, engine) => {
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'string', bodyLimit: 10 },
      (_request, _body, done) => done(new Error('the host reads this')),
    )
    app.addContentTypeParser('*', (_request, _payload, done) => done(new Error('the host reads this')))
    app.setErrorHandler((_error, _request, reply) => void reply.code(418).send('the host'))
    app.setNotFoundHandler((_request, reply) => void reply.code(418).send('the host'))
    app.addHook('preHandler', async (_request, reply) => void reply.header('vary', 'the host'))
    app.addHook('onSend', async () => 'the host')
    app.register(async (shop) => void shop.register(fastifyPlugin, { engine, prefix: '/v1' }), {
      prefix: '/billing',
    })
  }, '/billing/v1'),
  { host_answers: ['bad_escapes'] },
)

describeTransport(
  'Fastify, behind a hook that has read JSON bodies',
  host((app, engine) => {
    app.addHook('preParsing', async ({ headers }, _reply, payload) =>
      headers['content-type'] === 'application/json' ? Readable.from(await buffer(payload)) : payload,
    )
    app.register(fastifyPlugin, { engine, prefix: '/v1' })
  }),
  { host_answers: ['announced_bodies', 'bad_escapes'] },
)

describe('the Fastify plugin', () => {
  const open = async (mount: (app: FastifyInstance, engine: Engine) => void) => {
    const shop = await openShop()
    const app = fastify({ trustProxy: true })
    onTestFinished(() => app.close())
    mount(app, shop.engine)
    return { app, headers: { authorization: `Bearer ${shop.keys.secret}` } }
  }

  it('refuses an address of its own, which would have no effect', async () => {
    const { engine } = await openShop()
    const options = { engine, remoteAddress: () => '203.0.113.9' }
    await expect(fastify().register(fastifyPlugin, options)).rejects.toThrow('trustProxy')
  })

  it('answers requests that are injected', async () => {
    const { app, headers } = await open((app, engine) =>
      app.register(fastifyPlugin, { engine, prefix: '/v1' }),
    )
    const session = await app.inject({
      method: 'POST',
      url: '/v1/payment-method-sessions',
      headers,
      payload: {},
    })
    expect([session.statusCode, session.json().object]).toEqual([200, 'payment_method_session'])
    expect((await app.inject({ url: '/v1/account', headers })).json().object).toBe('account')
  })

  it('counts one limit over all mounts, so that another one tries no further card', async () => {
    const shop = await openShop({ rateLimit: { confirmsPerMinute: 2 } })
    const app = fastify()
    onTestFinished(() => app.close())
    for (const prefix of ['/v1', '/v2', '/v3']) app.register(fastifyPlugin, { engine: shop.engine, prefix })
    const path = confirmPath(await newSession(shop))
    const headers = { authorization: `Bearer ${shop.keys.publishable}` }
    const statuses = []
    for (const prefix of ['/v1', '/v2', '/v3']) {
      const payload = confirmation('tok_test_incorrect_cvc')
      const { statusCode } = await app.inject({ method: 'POST', url: prefix + path, headers, payload })
      statuses.push(statusCode)
    }
    expect(statuses).toEqual([402, 402, 429])
  })

  it('leaves parsers, errors and unknown paths of the host alone', async () => {
    const { app, headers } = await open((app, engine) => {
      app.register(fastifyPlugin, { engine, prefix: '/v1' })
      app.post('/orders', async (request) => request.body)
    })
    const order = { method: 'POST', url: '/orders', headers: { 'content-type': 'application/json' } } as const
    expect((await app.inject({ ...order, payload: '{"a":1}' })).json()).toEqual({ a: 1 })
    expect((await app.inject({ ...order, payload: '{' })).json().code).toBe('FST_ERR_CTP_INVALID_JSON_BODY')
    expect((await app.inject({ url: '/nowhere', headers })).json().message).toBe(
      'Route GET:/nowhere not found',
    )
  })

  it('reads a paused stream that a hook has put in the place of the body, as one that unpacks it is', async () => {
    const { app, headers } = await open((app, engine) => {
      app.addHook('preParsing', async (_request, _reply, payload) => {
        const unpacked = payload.pipe(createGunzip())
        return unpacked.pause()
      })
      app.register(fastifyPlugin, { engine, prefix: '/v1' })
    })
    const url = '/v1/payment-method-sessions'
    const payload = gzipSync('{"unknown":1}')
    const json = { ...headers, 'content-type': 'application/json' }
    const refused = await app.inject({ method: 'POST', url, headers: json, payload })
    expect([refused.statusCode, refused.json().error.param]).toEqual([400, 'unknown'])
  })

  it('hangs up where a stream of the host’s breaks in the place of the body', async () => {
    const { app, headers } = await open((app, engine) => {
      app.addHook('preParsing', async () => {
        return new Readable({
          read() {
            this.destroy(new Error('this is no gzip'))
          },
        })
      })
      app.register(fastifyPlugin, { engine, prefix: '/v1' })
    })
    const session = `${await app.listen()}/v1/payment-method-sessions`
    await expect(fetch(session, { method: 'POST', headers, body: '{}' })).rejects.toThrow('fetch failed')
  })

  it('leaves what Fastify does not route to the host where it has no prefix', async () => {
    const { app } = await open((app, engine) => {
      app.setNotFoundHandler((_request, reply) => void reply.code(418).send('the host'))
      app.register(fastifyPlugin, { engine, basePath: '/v1' })
    })
    const url = `${await app.listen()}/v1/account`
    expect((await fetch(url, { method: 'PROPFIND' })).status).toBe(418)
  })

  it('leaves an error of the host’s hook to the host', async () => {
    const { app, headers } = await open((app, engine) => {
      app.setErrorHandler((error: Error, _request, reply) => void reply.code(429).send(error.message))
      app.addHook('preHandler', async () => Promise.reject(new Error('slow down')))
      app.register(fastifyPlugin, { engine, prefix: '/v1' })
    })
    const refused = await app.inject({ url: '/v1/account', headers })
    expect([refused.statusCode, refused.body]).toEqual([429, 'slow down'])
  })

  it('has a base path below its prefix where it is given one', async () => {
    const { app, headers } = await open((app, engine) =>
      app.register(fastifyPlugin, { engine, prefix: '/billing', basePath: '/v1' }),
    )
    expect((await app.inject({ url: '/billing/v1/account', headers })).statusCode).toBe(200)
    expect((await app.inject({ url: '/billing/account', headers })).statusCode).toBe(404)
  })

  it('is not registered with a base path without a slash, which its prefix would hide', async () => {
    const { app } = await open((app, engine) =>
      app.register(fastifyPlugin, { engine, prefix: '/billing', basePath: 'v1' }),
    )
    await expect((async () => app.ready())()).rejects.toThrow('`basePath` begins with a slash, unlike "v1".')
  })

  it('is called by Fastify, and says so to a host that calls it', async () => {
    const { engine } = await openShop()
    await expect(fastifyPlugin({ engine } as never, undefined as never)).rejects.toThrow(
      'Fastify calls the plugin',
    )
  })
})
