import { describe, expect, it } from 'vitest'
import { toFetchHandler } from '../src/fetch.ts'
import type { HttpHandler, HttpResponse } from '../src/message.ts'
import { echo } from './echo.ts'

const handle = toFetchHandler(echo)
const post = (body: string | ReadableStream, headers: Record<string, string> = {}) =>
  new Request('https://example.com/v1/payments', { method: 'POST', body, headers, duplex: 'half' })
const bodySeen = async (request: Request) =>
  ((await (await handle(request)).json()) as { body: unknown }).body
const too_large = { refused: 'The body is larger than 262144 bytes.' }

describe('toFetchHandler', () => {
  it('hands over method, target, headers and bytes, and no address', async () => {
    const request = new Request('https://example.com/v1/payments?a=%20b#c', {
      method: 'POST',
      body: Buffer.from([0x7b, 0xff, 0x00]),
      headers: { Accept: 'text/plain' },
    })
    const response = await handle(request)
    expect(response.headers.get('request-id')).toBe('req_1')
    expect(await response.json()).toEqual({
      method: 'POST',
      target: '/v1/payments?a=%20b',
      accept: 'text/plain',
      body: '{\u00ff\0',
      remote_address: null,
    })
  })

  it('takes the address from the host', async () => {
    const behind = toFetchHandler(echo, { remoteAddress: (request) => request.headers.get('x-real-ip') })
    const response = await behind(post('{}', { 'x-real-ip': '203.0.113.9' }))
    expect(await response.json()).toMatchObject({ remote_address: '203.0.113.9' })
  })

  it.each([handle, undefined])('refuses what is no plain handler', (given) => {
    expect(() => toFetchHandler(given as unknown as HttpHandler)).toThrow('takes a plain handler')
  })

  it('throws where Node or Express calls it, which would wait for an answer for ever', () => {
    const listener: (...given: never[]) => unknown = handle
    const called = () => Reflect.apply(listener, null, [{ url: '/v1/account', headers: {} }, {}])
    expect(called).toThrow('A handler takes a `Request`. On node:http it is `toNodeListener(handler)`')
  })

  it('answers HEAD like GET without a body', async () => {
    const get = await handle(new Request('https://example.com/v1/account'))
    const head = await handle(new Request('https://example.com/v1/account', { method: 'HEAD' }))
    expect(Object.fromEntries(head.headers)).toEqual(Object.fromEntries(get.headers))
    expect(head.headers.get('content-length')).toBe(String((await get.text()).length))
    expect(head.body).toBeNull()
  })

  it('answers 204 without a body and without a length', async () => {
    const response = await answering({ status: 204, headers: {}, body: '' })(post('{}'))
    expect([response.status, response.body, response.headers.get('content-length')]).toEqual([
      204,
      null,
      null,
    ])
  })

  it('counts the bytes of the answer and adds no content type of its own', async () => {
    const response = await answering({ status: 200, headers: {}, body: 'é€😀' })(post('{}'))
    expect(Object.fromEntries(response.headers)).toEqual({ 'content-length': '9' })
    expect(await response.text()).toBe('é€😀')
  })

  it('answers 500 without details when the handler fails', async () => {
    const response = await toFetchHandler(() => Promise.reject(new Error('secret')))(post('{}'))
    expect([response.status, await response.text()]).toEqual([500, ''])
  })
})

describe('the body of a Request', () => {
  it('may have 262144 bytes and not one more', async () => {
    expect(await bodySeen(post('a'.repeat(262_144)))).toBe('a'.repeat(262_144))
    expect(await bodySeen(post('a'.repeat(262_145)))).toEqual(too_large)
    expect(await bodySeen(post('{}', { 'content-length': '262145' }))).toEqual(too_large)
  })

  it('is not read past the limit', async () => {
    let pulled = 0
    let canceled = false
    const endless = new ReadableStream({
      pull(controller) {
        pulled += 1
        controller.enqueue(new Uint8Array(65_536))
      },
      cancel() {
        canceled = true
      },
    })
    expect(await bodySeen(post(endless))).toEqual(too_large)
    expect(canceled).toBe(true)
    expect(pulled).toBeLessThan(10)
  })

  it('is refused where it was read before', async () => {
    const request = post('{}')
    await request.text()
    expect(await bodySeen(request)).toEqual({ refused: expect.stringContaining('was read before') })
  })

  it('is refused where the host holds a reader of it', async () => {
    const request = post('{}')
    request.body?.getReader()
    expect(await bodySeen(request)).toEqual({ refused: expect.stringContaining('was read before') })
  })

  it('is refused past the limit also where its source cannot be canceled', async () => {
    const stubborn = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => Promise.reject(new Error('not now')),
    })
    expect(await bodySeen(post(stubborn))).toEqual(too_large)
  })

  it('is no request where it breaks off', async () => {
    const broken = new ReadableStream({
      pull(controller) {
        controller.error(new Error('reset'))
      },
    })
    let handled = false
    const handler: HttpHandler = async () => {
      handled = true
      return { status: 200, headers: {}, body: '' }
    }
    expect((await toFetchHandler(handler)(post(broken))).status).toBe(500)
    expect(handled).toBe(false)
  })
})

function answering(response: HttpResponse) {
  const handler: HttpHandler = async () => response
  return toFetchHandler(handler)
}
