import { once } from 'node:events'
import { constants, createServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { AddressInfo } from 'node:net'
import type { Engine } from '@quittance/core'
import { createHandler, type HttpHandler, joinedHeaders, tooLarge } from '@quittance/transport-http'
import { it } from 'vitest'
import { describeTransport } from '../src/describe-transport.ts'
import { limit_bytes } from '../src/transport/body-requests.ts'
import { expectHeld, expectSeen, sentenceOf } from './sentences.ts'

/** What a transport of `node:http2` does once it has answered a body that is too large. */
type Ending = (req: Http2ServerRequest) => void

interface Transport {
  takesHalfBodies?: boolean
  ends?: Ending
}

const closed: Ending = ({ stream }) => stream.close(constants.NGHTTP2_NO_ERROR)

/** Each with the sentence of the contract that it breaks. */
const mistakes: readonly [what: string, breaks: string, transport: Transport, hangs?: 'hangs'][] = [
  [
    'takes half a body for a request',
    'never takes half a body for a whole one (NGHTTP2_NO_ERROR)',
    { takesHalfBodies: true },
  ],
  [
    'closes the stream of an upload as if it had failed',
    'answers a client that keeps sending a body that is too large, and then closes only its stream',
    { ends: ({ stream }) => stream.close(constants.NGHTTP2_INTERNAL_ERROR) },
  ],
  [
    'lets an upload go on for ever',
    'answers a client that keeps sending a body that is too large, and then closes only its stream',
    { ends: () => undefined },
    'hangs',
  ],
  [
    'closes the connection of an upload',
    'refuses a body announced as too large before it is sent, and keeps the connection open',
    { ends: ({ stream }) => stream.session?.close() },
  ],
]

it.each(mistakes)(
  'the contract suite sees a transport over HTTP/2 that %s',
  async (_, breaks, transport, hangs) => {
    await expectSeen(sentenceOf(mounted(transport), breaks), hangs)
    await expectHeld(sentenceOf(mounted({}), breaks))
  },
)

function mounted(transport: Transport): () => void {
  const mount = (engine: Engine) => serve(createHandler(engine).http, transport)
  return () => describeTransport('mistaken', mount, { http2: true })
}

async function serve(handle: HttpHandler, { takesHalfBodies = false, ends = closed }: Transport) {
  const server = createServer((req, res) => void exchange(req, res)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    base_path: '/v1',
    remote_address: '127.0.0.1',
    close: async () => void server.close(),
  }

  async function exchange(req: Http2ServerRequest, res: Http2ServerResponse): Promise<void> {
    const body = await bodyOf(req)
    if (req.stream.aborted && !takesHalfBodies) return
    const { method, url: target } = req
    const said = await handle({
      method,
      target,
      headers: joinedHeaders(req),
      body,
      remote_address: '127.0.0.1',
    })
    res.writeHead(said.status, { ...said.headers, 'content-length': Buffer.byteLength(said.body) })
    res.end(said.body)
    if (body === tooLarge) ends(req.resume())
  }
}

/** Up to the limit, or what says that it is larger. */
async function bodyOf(req: Http2ServerRequest) {
  const chunks: Buffer[] = []
  let size_bytes = 0
  if (Number(req.headers['content-length']) > limit_bytes) return tooLarge
  await new Promise<void>((resolve) => {
    req
      .on('error', () => undefined)
      .once('end', resolve)
      .once('close', resolve)
    req.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      size_bytes += chunk.length
      if (size_bytes > limit_bytes) resolve()
    })
  })
  return size_bytes > limit_bytes ? tooLarge : Buffer.concat(chunks)
}
