import { once } from 'node:events'
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { body_limit_bytes } from '../src/body-source.ts'
import type { HttpHandler, HttpRequest, HttpResponse } from '../src/message.ts'
import { toNodeListener } from '../src/node.ts'
import { echo, failOnEscapedFaults, listen, sendRaw } from './echo.ts'

const post = (url: string, body: Buffer | string | ReadableStream) =>
  fetch(url, { method: 'POST', body, duplex: 'half' })
const too_large = { refused: 'The body is larger than 262144 bytes.' }

failOnEscapedFaults()

describe('the body limit of 256 KiB', () => {
  it('accepts a body at the limit', async () => {
    const { url } = await listen(toNodeListener(sizing))
    expect(await (await post(url, Buffer.alloc(body_limit_bytes))).json()).toBe(262_144)
    expect(await (await post(url, chunked(body_limit_bytes))).json()).toBe(262_144)
  })

  it('refuses one byte more, as a value that the handler answers', async () => {
    const { url } = await listen(toNodeListener(sizing))
    const declared = await post(url, Buffer.alloc(body_limit_bytes + 1))
    expect(await declared.json()).toEqual(too_large)
    expect(declared.headers.get('connection')).toBe('close')
    expect(await (await post(url, chunked(body_limit_bytes + 1))).json()).toEqual(too_large)
  })

  it('answers a client that goes on sending, and then hangs up on it', async () => {
    const { port } = await listen(toNodeListener(sizing))
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n')
    const flood = () => {
      while (socket.writable && socket.write(`10000\r\n${'a'.repeat(65_536)}\r\n`));
    }
    socket.on('drain', flood)
    flood()
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toContain(JSON.stringify(too_large))
    await new Promise((resolve) => socket.once('close', resolve))
    expect(socket.bytesWritten).toBeLessThan(64 * 1_024 * 1_024)
  })

  it('answers a client that announced too much before it has sent it', async () => {
    const { port } = await listen(toNodeListener(sizing))
    const answer = await sendRaw(
      port,
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 262145\r\n\r\nfirst bytes',
    )
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*connection: close\r\n[\s\S]*\{"refused"/i)
  })

  it('closes a refused upload when the handler fails too', async () => {
    const failing: HttpHandler = async () => Promise.reject(new Error('fault'))
    const { port } = await listen(toNodeListener(failing))
    const answer = await sendRaw(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 262145\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 500 [\s\S]*connection: close/i)
  })
})

describe('hostile and broken clients', () => {
  it('waits for a body announced with Expect: 100-continue', async () => {
    const { url } = await listen(toNodeListener(echo))
    const req = request(url, { method: 'POST', headers: { expect: '100-continue', 'content-length': 4 } })
    req.flushHeaders()
    await once(req, 'continue')
    req.end('late')
    const [res] = (await once(req, 'response')) as [IncomingMessage]
    expect(JSON.parse(Buffer.concat(await res.toArray()).toString())).toMatchObject({ body: 'late' })
  })

  it('never hands over half a body', async () => {
    const { seen, handler } = recording()
    const { port, url } = await listen(toNodeListener(handler))
    const socket = connect(port, '127.0.0.1')
    socket.write('POST /half HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"amount":1}')
    socket.end()
    await once(socket.resume(), 'close')
    await sendRaw(
      port,
      'POST /bad HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\nxyz\r\n',
    )
    await post(`${url}/whole`, '{}')
    expect(seen.map(({ target }) => target)).toEqual(['/whole'])
  })

  it('survives a client that leaves before its answer', async () => {
    const arrived = Promise.withResolvers<ServerResponse>()
    let answer = (_: HttpResponse) => {}
    const slow: HttpHandler = () =>
      new Promise((resolve) => {
        answer = resolve
      })
    const { port, url } = await listen((req, res) => {
      if (req.url !== '/slow') return toNodeListener(echo)(req, res)
      toNodeListener(slow)(req, res)
      arrived.resolve(res)
    })
    const socket = connect(port, '127.0.0.1')
    socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
    const res = await arrived.promise
    socket.destroy()
    await once(res, 'close')
    answer({ status: 200, headers: {}, body: 'too late' })
    expect((await fetch(url)).status).toBe(200)
  })

  it('survives a client that resets in the middle of a refused upload', async () => {
    const { port, url } = await listen(toNodeListener(sizing))
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999\r\n\r\n${'a'.repeat(300_000)}`)
    await once(socket, 'data')
    socket.resetAndDestroy()
    await once(socket, 'close')
    expect((await fetch(url)).status).toBe(200)
  })
})

const sizing: HttpHandler = async ({ body }) => ({
  status: 200,
  headers: {},
  body: JSON.stringify('refused' in body ? body : body.length),
})

function recording() {
  const seen: HttpRequest[] = []
  const handler: HttpHandler = async (request) => {
    seen.push(request)
    return { status: 200, headers: {}, body: '' }
  }
  return { seen, handler }
}

/** A body without a declared length, in chunks of 64 KiB. */
function chunked(size_bytes: number) {
  let left_bytes = size_bytes
  return new ReadableStream({
    pull(controller) {
      const next_bytes = Math.min(left_bytes, 65_536)
      if (next_bytes === 0) return controller.close()
      controller.enqueue(new Uint8Array(next_bytes))
      left_bytes -= next_bytes
    },
  })
}
