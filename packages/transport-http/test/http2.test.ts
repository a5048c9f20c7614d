import { once } from 'node:events'
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants, createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { Engine } from '@quittance/core'
import fastify from 'fastify'
import { describe, expect, it, onTestFinished } from 'vitest'
import { breakOff } from '../../testing/src/transport/http2-frames.ts'
import { body_limit_bytes } from '../src/body-source.ts'
import { fastifyPlugin } from '../src/fastify.ts'
import { createHandler } from '../src/handler.ts'
import { toNodeListener } from '../src/node.ts'
import { failOnEscapedFaults } from './echo.ts'
import { openShop, type Shop } from './shop.ts'

failOnEscapedFaults()

/** Each gives the address it listens on, and is closed with the test. */
const hosts = {
  async 'node:http2'(engine: Engine) {
    const server = createServer(toNodeListener(createHandler(engine))).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  },
  async Fastify(engine: Engine) {
    const app = fastify({ http2: true })
    onTestFinished(() => app.close())
    await app.register(fastifyPlugin, { engine, prefix: '/v1' })
    return app.listen({ port: 0, host: '127.0.0.1' })
  },
}

async function open(mount: (engine: Engine) => Promise<string>) {
  const shop = await openShop()
  const origin = await mount(shop.engine)
  const session = connect(origin)
  onTestFinished(() => session.destroy())
  return { shop, origin, session }
}

const hook = '{"url":"https://example.com/hooks","enabled_events":["*"]}'
const path = '/webhook-endpoints'
/** In white space, which JSON allows: only the size can be wrong. */
const hookOf = (size_bytes: number) => hook.padEnd(size_bytes)

function ask(session: ClientHttp2Session, shop: Shop, method: string, target: string, headers = {}) {
  return session.request({
    ':method': method,
    ':path': `/v1${target}`,
    authorization: `Bearer ${shop.keys.secret}`,
    ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
    ...headers,
  })
}

async function answerOf(request: ClientHttp2Stream) {
  let text = ''
  // Read by its events: an iterator takes an upload that the server has had enough of for a broken answer.
  request.setEncoding('utf8').on('data', (chunk) => {
    text += chunk
  })
  const [[{ ':status': status, ...headers }]] = await Promise.all([
    once(request, 'response'),
    once(request, 'end'),
  ])
  return { status, headers, text, body: text === '' ? null : JSON.parse(text) }
}

describe.each(Object.entries(hosts))('over HTTP/2, %s', (_name, mount) => {
  it('reads a body whether or not its length is announced', async () => {
    const { shop, session } = await open(mount)
    const made = await answerOf(
      ask(session, shop, 'POST', path, { 'content-length': Buffer.byteLength(hook) }).end(hook),
    )
    const update = ask(session, shop, 'POST', `${path}/${made.body.id}`).end('{"status":"disabled"}')
    expect((await answerOf(update)).body).toMatchObject({ id: made.body.id, status: 'disabled' })
  })

  it('reads a body without a content type', async () => {
    const { shop, session } = await open(mount)
    const headers = { 'idempotency-key': 'hook-1', 'content-type': undefined }
    const sent = ask(session, shop, 'POST', path, headers).end('{"url":')
    const plain = await shop.send('POST', path, { body: '{"url":', headers: { 'content-type': '' } })
    expect((await answerOf(sent)).body.error.message).toBe(plain.body.error.message)
  })

  it('answers GET and HEAD, which have no body', async () => {
    const { shop, session } = await open(mount)
    const plain = await shop.send('GET', '/account')
    const get = await answerOf(ask(session, shop, 'GET', '/account'))
    expect([get.status, get.text]).toEqual([200, plain.text])
    const head = await answerOf(ask(session, shop, 'HEAD', '/account'))
    expect([head.status, head.text]).toEqual([200, ''])
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(plain.text)))
  })

  it('takes a body of 256 KiB, and refuses one byte more', async () => {
    const { shop, session } = await open(mount)
    const whole = ask(session, shop, 'POST', path).end(hookOf(body_limit_bytes))
    expect((await answerOf(whole)).status).toBe(200)
    const larger = ask(session, shop, 'POST', path).end(hookOf(body_limit_bytes + 1))
    expect((await answerOf(larger)).body.error.message).toBe('The body is larger than 262144 bytes.')
  })

  it('refuses a body announced as too large before it is sent, and goes on with the connection', async () => {
    const { shop, session } = await open(mount)
    const announced = ask(session, shop, 'POST', path, { 'content-length': body_limit_bytes + 1 })
    expect((await answerOf(announced)).body.error.message).toBe('The body is larger than 262144 bytes.')
    expect((await answerOf(ask(session, shop, 'GET', '/account'))).status).toBe(200)
  })

  it('answers a client that goes on sending, and then closes its stream alone', async () => {
    const { shop, session } = await open(mount)
    const upload = ask(session, shop, 'POST', path)
    const flood = () => {
      while (upload.writable && upload.write(Buffer.alloc(65_536, ' ')));
    }
    upload.on('drain', flood)
    flood()
    const closed = once(upload, 'aborted')
    expect((await answerOf(upload)).body.error.message).toBe('The body is larger than 262144 bytes.')
    await closed
    expect(upload.rstCode).toBe(constants.NGHTTP2_NO_ERROR)
    expect((await answerOf(ask(session, shop, 'GET', '/account'))).status).toBe(200)
  })

  it.each(['NGHTTP2_NO_ERROR', 'NGHTTP2_CANCEL'] as const)(
    'never takes half a body for a request (%s)',
    async (code) => {
      const { shop, origin, session } = await open(mount)
      const headers = {
        ':method': 'POST',
        ':scheme': 'http',
        ':path': `/v1${path}`,
        ':authority': 'a',
        authorization: `Bearer ${shop.keys.secret}`,
        'content-type': 'application/json',
      }
      await breakOff(origin, { fields: Object.entries(headers), body: hook }, constants[code])
      expect((await answerOf(ask(session, shop, 'POST', path).end(hook))).status).toBe(200)
      expect((await answerOf(ask(session, shop, 'GET', path))).body.data).toHaveLength(1)
    },
  )

  it('survives a client that leaves before its answer', async () => {
    const { shop, session } = await open(mount)
    const left = ask(session, shop, 'POST', path).end(hook)
    await once(left, 'finish')
    left.close(constants.NGHTTP2_CANCEL)
    await once(left, 'close')
    expect((await answerOf(ask(session, shop, 'GET', '/account'))).status).toBe(200)
  })
})
