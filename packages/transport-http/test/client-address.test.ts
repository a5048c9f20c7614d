import type { IncomingMessage } from 'node:http'
import fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { fastifyPlugin } from '../src/fastify.ts'
import { createHandler } from '../src/handler.ts'
import { toNodeListener } from '../src/node.ts'
import { listen } from './echo.ts'
import { confirmation, confirmPath, newSession } from './purchases.ts'
import { openShop, sender } from './shop.ts'

const forwarded = (given: unknown) => () => given as string

const unfindable: [string, (req: IncomingMessage) => string | null, string][] = [
  ['throws', () => String((undefined as unknown as string).split(',')[0]), "reading 'split'"],
  ['gives a list', forwarded(['203.0.113.9']), '`remoteAddress` gives a text or null.'],
  ['gives a promise', forwarded(Promise.resolve('203.0.113.9')), '`remoteAddress` gives a text or null.'],
  // Its rejection was nobody's, and ended the process.
  ['rejects', () => Promise.reject(new Error('late')) as never, '`remoteAddress` gives a text or null.'],
]

it.each(unfindable)(
  'a `remoteAddress` that %s is a fault of the request, and logged',
  async (_, find, says) => {
    const { engine, keys, logged } = await openShop()
    const pages = () => null
    const { url } = await listen(toNodeListener(createHandler(engine, { pages }), { remoteAddress: find }))
    const { status, body } = await sender(`${url}/v1`, keys.secret)('GET', '/account')
    expect([status, body.error.code]).toEqual([500, 'internal_error'])
    expect(logged).toEqual([expect.stringContaining(says)])
    expect(logged[0]).toContain(`a request failed {"request_id":"${body.error.request_id}"`)
  },
)

it('so is one of a handler that is given a `Request`', async () => {
  const { engine, keys, logged } = await openShop()
  const remoteAddress = ({ headers }: Request) => (headers.get('x-forwarded-for') as string).trim()
  const request = new Request('https://pay.example.com/v1/account', {
    headers: { authorization: `Bearer ${keys.secret}` },
  })
  const response = await createHandler(engine, { remoteAddress })(request)
  const { error } = (await response.json()) as { error: { request_id: string } }
  expect(logged).toEqual([expect.stringContaining(error.request_id)])
})

it('so is what Fastify throws while it looks for the address, where it would answer nothing', async () => {
  const { engine, keys, logged } = await openShop()
  const trustProxy = () => {
    throw new Error('nobody is trusted')
  }
  const app = fastify({ trustProxy }).register(fastifyPlugin, { engine, prefix: '/v1' })
  onTestFinished(() => app.close())
  const headers = { authorization: `Bearer ${keys.secret}`, 'x-forwarded-for': '203.0.113.9' }
  const response = await app.inject({ url: '/v1/account', headers })
  expect([response.statusCode, response.json().error.code]).toEqual([500, 'internal_error'])
  expect(logged).toEqual([expect.stringContaining('nobody is trusted')])
})

it('an address that is not there is recorded as none', async () => {
  const shop = await openShop()
  const remoteAddress = forwarded(undefined)
  const { url } = await listen(toNodeListener(createHandler(shop.engine), { remoteAddress }))
  const session = await newSession(shop, { token: 'btok_test_success' })
  const { body } = await sender(`${url}/v1`, shop.keys.publishable)('POST', confirmPath(session), {
    body: confirmation('btok_test_success'),
  })
  expect(body.ach_authorization).toMatchObject({ ip_address: null })
})
