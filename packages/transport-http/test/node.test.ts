import { describe, expect, it } from 'vitest'
import { toFetchHandler } from '../src/fetch.ts'
import type { HttpHandler, HttpResponse } from '../src/message.ts'
import { toNodeListener } from '../src/node.ts'
import { echo, failOnEscapedFaults, listen, sendRaw } from './echo.ts'

failOnEscapedFaults()

describe('toNodeListener', () => {
  it('hands over method, target, headers, bytes and address', async () => {
    const { url } = await listen(toNodeListener(echo))
    const response = await fetch(`${url}/v1/payments?a=%20b`, {
      method: 'POST',
      body: Buffer.from([0x7b, 0xff, 0x00]),
      headers: { Accept: 'text/plain' },
    })
    expect(response.headers.get('request-id')).toBe('req_1')
    expect(await response.json()).toEqual({
      method: 'POST',
      target: '/v1/payments?a=%20b',
      accept: 'text/plain',
      body: '{\u00ff\0',
      remote_address: '127.0.0.1',
    })
  })

  it('takes the address from the host where it knows better', async () => {
    const { url } = await listen(toNodeListener(echo, { remoteAddress: () => '203.0.113.9' }))
    expect(await (await fetch(url)).json()).toMatchObject({ remote_address: '203.0.113.9' })
  })

  it('takes the fetch handler too, and calls the plain one below it', async () => {
    const { url } = await listen(toNodeListener(toFetchHandler(echo)))
    expect(await (await fetch(`${url}/v1`, { method: 'POST', body: 'x' })).json()).toMatchObject({
      body: 'x',
      remote_address: '127.0.0.1',
    })
  })

  it('counts the bytes of the answer, not its characters', async () => {
    const { url } = await listen(toNodeListener(answering({ status: 200, headers: {}, body: 'é€😀' })))
    const response = await fetch(url)
    expect(response.headers.get('content-length')).toBe('9')
    expect(response.headers.get('transfer-encoding')).toBeNull()
    expect(await response.text()).toBe('é€😀')
  })

  it('sends bytes as they are', async () => {
    const body = Uint8Array.from([0, 255, 128])
    const { url } = await listen(toNodeListener(answering({ status: 402, headers: {}, body })))
    const response = await fetch(url)
    expect(response.status).toBe(402)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(body)
  })

  it('answers HEAD like GET without a body', async () => {
    const { port, url } = await listen(toNodeListener(echo))
    const get = await sendRaw(port, 'GET /v1/account HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    const head = await sendRaw(port, 'HEAD /v1/account HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    const [get_headers, get_body] = get.split('\r\n\r\n')
    expect(head).toBe(`${get_headers}\r\n\r\n`.replace(/Date: .*/, head.match(/Date: .*/)?.[0] ?? ''))
    expect(get_headers).toContain(`content-length: ${get_body?.length}`)
    expect(get_body).toContain('"method":"GET"')
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200)
  })

  it('answers 204 without a body and without a length', async () => {
    const { port } = await listen(
      toNodeListener(answering({ status: 204, headers: { allow: 'GET' }, body: '' })),
    )
    const answer = await sendRaw(port, 'OPTIONS / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 204 No Content\r\nallow: GET\r\n/)
    expect(answer.toLowerCase()).not.toContain('content-length')
  })

  it('keeps the connection between requests', async () => {
    const { port } = await listen(toNodeListener(echo))
    const first = 'POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none'
    const last = 'GET /2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    const answers = await sendRaw(port, first, last)
    expect(answers.match(/"target":"\/[12]"/g)).toEqual(['"target":"/1"', '"target":"/2"'])
  })

  it('answers 500 without details when the handler fails', async () => {
    const failing: HttpHandler = async () => {
      throw new Error('secret')
    }
    const { url } = await listen(toNodeListener(failing))
    const response = await fetch(url)
    expect([response.status, await response.text()]).toEqual([500, ''])
    expect(response.headers.get('cache-control')).toBe('no-store')
  })

  it('answers 500 when a header of the answer cannot be sent', async () => {
    const { url } = await listen(
      toNodeListener(answering({ status: 200, headers: { a: 'b\r\nc: d' }, body: '' })),
    )
    const response = await fetch(url)
    expect([response.status, response.headers.get('c')]).toEqual([500, null])
  })

  it('says nothing more where the host has answered already', async () => {
    const { url } = await listen((req, res) => {
      res.end('from the host')
      toNodeListener(echo)(req, res)
    })
    expect(await (await fetch(url)).text()).toBe('from the host')
  })

  it('says nothing where the host has begun to answer', async () => {
    const { url } = await listen((req, res) => {
      res.write('from ')
      toNodeListener(echo)(req, res)
      setImmediate(() => setImmediate(() => res.end('the host')))
    })
    expect(await (await fetch(url)).text()).toBe('from the host')
  })
})

const answering =
  (response: HttpResponse): HttpHandler =>
  async () =>
    response
