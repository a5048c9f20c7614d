import { createRequire } from 'node:module'
import type { Engine } from '@quittance/core'
import express, { type Express } from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeTransport } from '../../testing/src/describe-transport.ts'
import { expressRouter } from '../src/express.ts'
import { serve } from './node-transport-server.ts'
import { confirmation, confirmPath, newSession } from './purchases.ts'
import { openShop, type Shop, sender } from './shop.ts'

/** It has no types of its own that would fit beside those of Express 5. */
const express4 = createRequire(import.meta.url)('express-4') as typeof express

/** A host that mounts the API in its way. */
function host(mount: (app: Express, engine: Engine) => void, base_path = '/v1', open = express) {
  return (engine: Engine) => {
    const app = open()
    mount(app, engine)
    return serve(app, base_path)
  }
}

const keepBytes = (req: object, _res: object, bytes: Buffer) => void Object.assign(req, { rawBody: bytes })

describeTransport(
  'Express',
  host((app, engine) => app.use('/v1', expressRouter(engine))),
)

describeTransport(
  'Express 4',
  host((app, engine) => app.use('/v1', expressRouter(engine)), '/v1', express4),
  { host_answers: ['normalized_paths'] },
)

describeTransport(
  'Express 4, after a JSON parser that keeps rawBody',
  host(
    (app, engine) => app.use(express4.json({ verify: keepBytes })).use('/v1', expressRouter(engine)),
    '/v1',
    express4,
  ),
  { host_answers: ['announced_bodies', 'parsed_bodies', 'normalized_paths'] },
)

describeTransport(
  'Express at the root',
  host((app, engine) => app.use(expressRouter(engine)), ''),
)

describeTransport(
  'Express, in a router of a router',
  host((app, engine) => {
    const inner = express.Router().use('/v1', expressRouter(engine))
    app.use('/shops', express().use('/billing', inner))
  }, '/shops/billing/v1'),
)

describeTransport(
  'Express, mounted before body parsers',
  host((app, engine) => app.use('/v1', expressRouter(engine)).use(express.json(), express.urlencoded())),
)

describeTransport(
  'Express, after a parser that keeps bytes',
  host((app, engine) =>
    app.use(express.raw({ type: () => true, limit: '1mb' })).use('/v1', expressRouter(engine)),
  ),
  { host_answers: ['announced_bodies'] },
)

describeTransport(
  'Express, after a parser that keeps text',
  host((app, engine) =>
    app.use(express.text({ type: 'application/json', limit: '1mb' })).use('/v1', expressRouter(engine)),
  ),
  { host_answers: ['announced_bodies', 'parsed_bodies'] },
)

describeTransport(
  'Express, after a JSON parser that keeps rawBody',
  host((app, engine) => app.use(express.json({ verify: keepBytes })).use('/v1', expressRouter(engine))),
  { host_answers: ['announced_bodies', 'parsed_bodies'] },
)

describeTransport(
  'Express, after a JSON parser that keeps nothing',
  host((app, engine) => app.use(express.json(), express.urlencoded()).use('/v1', expressRouter(engine))),
  { host_answers: ['announced_bodies', 'parsed_bodies'] },
)

describe('the Express router', () => {
  const open = async (
    mount: (app: Express, shop: Shop) => void,
    rateLimit?: { confirmsPerMinute: number },
  ) => {
    const shop = await openShop(rateLimit ? { rateLimit } : {})
    const app = express()
    mount(app, shop)
    const { origin, close } = await serve(app, '')
    onTestFinished(close)
    return { shop, at: (path: string) => sender(origin + path, shop.keys.secret) }
  }

  it('leaves the host’s own routes alone', async () => {
    const { at } = await open((app, { engine }) =>
      app
        .use('/v1', expressRouter(engine))
        .post('/orders', express.json(), (req, res) => void res.json(req.body)),
    )
    expect((await at('')('POST', '/orders', { body: { id: 'a' } })).body.id).toBe('a')
    expect((await at('/v1')('GET', '/account')).body.object).toBe('account')
  })

  it('leaves headers that the host has set before it, except those that it sets itself', async () => {
    const { at } = await open((app, { engine }) =>
      app
        .use((_req, res, next) => {
          res.set({ 'X-Frame-Options': 'SAMEORIGIN', 'Cache-Control': 'public' })
          next()
        })
        .use('/v1', expressRouter(engine)),
    )
    const { headers } = await at('/v1')('GET', '/account')
    expect([headers.get('x-frame-options'), headers.get('cache-control')]).toEqual(['SAMEORIGIN', 'no-store'])
  })

  it('takes the client’s address by the host’s trust in proxies', async () => {
    const { shop, at } = await open((app, { engine }) =>
      app.set('trust proxy', true).use('/v1', expressRouter(engine)),
    )
    const session = await newSession(shop, { token: 'btok_test_success' })
    const confirmed = await at('/v1')('POST', confirmPath(session), {
      key: shop.keys.publishable,
      body: confirmation('btok_test_success'),
      headers: { 'x-forwarded-for': '203.0.113.9' },
    })
    expect(confirmed.body.ach_authorization).toMatchObject({ ip_address: '203.0.113.9' })
  })

  it('refuses an address of its own, which would have no effect', async () => {
    const { engine } = await openShop()
    const options = { basePath: '/', remoteAddress: () => '203.0.113.9' }
    expect(() => expressRouter(engine, options)).toThrow('trust proxy')
  })

  it('answers under each of several mounts, in each spelling that Express takes for one', async () => {
    const { at } = await open((app, { engine }) =>
      app.use(['/v1', '/tenants/:tenant/v1'], expressRouter(engine)),
    )
    for (const base of ['/v1', '/V1', '/tenants/a/v1', '/tenants/b%20c/v1'])
      expect((await at(base)('GET', '/account')).body.object).toBe('account')
  })

  it('describes the API at the mount it was asked under', async () => {
    const { at } = await open((app, { engine }) => app.use(['/v1', '/v2'], expressRouter(engine)))
    for (const base of ['/v1', '/v2', '/v1'])
      expect((await at(base)('GET', '/openapi.json')).body.servers).toEqual([
        expect.objectContaining({ url: base }),
      ])
  })

  it('counts one limit over all mounts, so that another spelling tries no further card', async () => {
    const { shop, at } = await open((app, { engine }) => app.use(['/v1', '/v2'], expressRouter(engine)), {
      confirmsPerMinute: 2,
    })
    const path = confirmPath(await newSession(shop))
    const request = { key: shop.keys.publishable, body: confirmation('tok_test_incorrect_cvc') }
    const statuses = []
    for (const base of ['/v1', '/V1', '/v2']) statuses.push((await at(base)('POST', path, request)).status)
    expect(statuses).toEqual([402, 402, 429])
  })

  it('goes by the address that the host has rewritten', async () => {
    const { at } = await open((app, { engine }) =>
      app
        .use((req, _res, next) => {
          req.url = req.url.replace(/^\/api/, '')
          next()
        })
        .use('/v1', expressRouter(engine)),
    )
    expect((await at('/api/v1')('GET', '/account')).status).toBe(200)
  })

  it('has a base path below its mount where it is given one', async () => {
    const { at } = await open((app, { engine }) =>
      app.use('/billing', expressRouter(engine, { basePath: '/v1' })),
    )
    expect((await at('/billing/v1')('GET', '/account')).status).toBe(200)
    expect((await at('/billing')('GET', '/account')).status).toBe(404)
  })
})
