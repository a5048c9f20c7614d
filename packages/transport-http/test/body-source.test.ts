import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { type HostRequest, readBody, readBodyFrom } from '../src/body-source.ts'
import { toNodeListener } from '../src/node.ts'
import { echo, listen } from './echo.ts'

/** A host that prepares the request as its body parser would, then mounts us. */
async function bodySeenAfter(
  prepare: (req: HostRequest) => void | Promise<void>,
  sent: string | null = '{"a":1}',
) {
  const { url } = await listen(async (req, res) => {
    await prepare(req)
    toNodeListener(echo)(req, res)
  })
  const response = await fetch(url, { method: 'POST', body: sent })
  return ((await response.json()) as { body: unknown }).body
}

const drain = async (req: IncomingMessage) => Buffer.concat(await req.toArray()).toString()

describe('the source of the body', () => {
  it('is the stream where nobody has read it', async () => {
    expect(await bodySeenAfter(() => {})).toBe('{"a":1}')
  })

  it('is the stream also where somebody has paused it', async () => {
    expect(await bodySeenAfter((req) => void req.pause())).toBe('{"a":1}')
  })

  it('is rawBody before anything else', async () => {
    const prepare = async (req: HostRequest) => {
      req.rawBody = Buffer.from(await drain(req))
      req.body = { other: true }
    }
    expect(await bodySeenAfter(prepare, '{"a":1,"a":2}')).toBe('{"a":1,"a":2}')
  })

  it('is a Buffer or a string in body, as sent', async () => {
    const asBuffer = async (req: HostRequest) => {
      req.body = Buffer.from(await drain(req))
    }
    const asString = async (req: HostRequest) => {
      req.body = await drain(req)
    }
    expect(await bodySeenAfter(asBuffer, '{"a": 1}')).toBe('{"a": 1}')
    expect(await bodySeenAfter(asString, '{"a": 1}')).toBe('{"a": 1}')
  })

  it('is the stream where a parser left {} without reading', async () => {
    const prepare = (req: HostRequest) => {
      req.body = {}
    }
    expect(await bodySeenAfter(prepare)).toBe('{"a":1}')
  })

  it('is the stream where the host decodes it to text', async () => {
    expect(await bodySeenAfter((req) => void req.setEncoding('utf8'), '"é"')).toBe(
      Buffer.from('"é"').toString('latin1'),
    )
  })

  it('is the parsed body, written again, where that is all that is left', async () => {
    const prepare = async (req: HostRequest) => {
      req.body = JSON.parse(await drain(req))
    }
    expect(await bodySeenAfter(prepare, '{ "a": [1, "x"] }')).toBe('{"a":[1,"x"]}')
    expect(await bodySeenAfter(prepare, 'null')).toBe('null')
  })

  it('is refused clearly where the host has read it and kept nothing', async () => {
    const refused = { refused: 'The body was read before it reached this API, and nothing was kept of it.' }
    expect(await bodySeenAfter(async (req) => void (await drain(req)))).toEqual(refused)
    const unwritable = async (req: HostRequest) => {
      await drain(req)
      req.body = { amount: 1n }
    }
    expect(await bodySeenAfter(unwritable)).toEqual(refused)
  })

  it('is empty where none was sent, whatever a parser left in body', async () => {
    expect(await bodySeenAfter(() => {}, null)).toBe('')
    const prepare = (req: HostRequest) => {
      req.body = {}
    }
    expect(await bodySeenAfter(prepare, null)).toBe('')
    const read = async (req: HostRequest) => {
      await drain(req)
      req.body = {}
    }
    expect(await bodySeenAfter(read, null)).toBe('')
  })

  it('has the same limit where the host has read it', async () => {
    const refused = { refused: 'The body is larger than 262144 bytes.' }
    for (const size_bytes of [262_144, 262_145]) {
      const prepare = async (req: HostRequest) => {
        req.rawBody = Buffer.from(await drain(req))
      }
      const sent = 'a'.repeat(size_bytes)
      expect(await bodySeenAfter(prepare, sent)).toEqual(size_bytes === 262_144 ? sent : refused)
      const parsed = async (req: HostRequest) => {
        req.body = JSON.parse(await drain(req))
      }
      const json = JSON.stringify(['a'.repeat(size_bytes - 4)])
      expect(await bodySeenAfter(parsed, json)).toEqual(size_bytes === 262_144 ? json : refused)
    }
  })

  it('is refused, and nothing more, where a stream of the host breaks after it was too large', async () => {
    const read = Promise.withResolvers<unknown>()
    const unpacked = new PassThrough()
    const { url } = await listen((req, res) => {
      read.resolve(readBodyFrom(unpacked, { req, left: {} }))
      unpacked.write(Buffer.alloc(262_145))
      res.end()
    })
    await fetch(url, { method: 'POST', body: 'x' })
    expect(await read.promise).toEqual({ refused: 'The body is larger than 262144 bytes.' })
    expect(() => unpacked.emit('error', new Error('unexpected end of file'))).not.toThrow()
  })

  it('is nothing at all where the client left before we looked', async () => {
    const read = Promise.withResolvers<unknown>()
    const { url } = await listen(async (req) => {
      req.destroy()
      await once(req, 'close')
      read.resolve(readBody(req))
    })
    await expect(fetch(url, { method: 'POST', body: 'x' })).rejects.toThrow()
    expect(await read.promise).toBeNull()
  })

  it('is nothing at all where the client leaves in the middle', async () => {
    const read = Promise.withResolvers<unknown>()
    const { port } = await listen((req) => {
      read.resolve(readBody(req))
      req.once('data', () => socket.destroy())
    })
    const socket = connect(port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{"amount":1}')
    expect(await read.promise).toBeNull()
  })

  it('is nothing at all where a stream of the host ends without a word', async () => {
    const read = Promise.withResolvers<unknown>()
    const { url } = await listen((req, res) => {
      const unpacked = new PassThrough()
      read.resolve(readBodyFrom(unpacked, { req, left: {} }))
      unpacked.once('data', () => unpacked.destroy()).write('x')
      res.end()
    })
    await fetch(url, { method: 'POST', body: 'x' })
    expect(await read.promise).toBeNull()
  })
})
