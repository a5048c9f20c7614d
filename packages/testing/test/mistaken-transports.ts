import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import {
  escapedFault,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  joinedHeaders,
  toNodeListener,
  tooLarge,
} from '@quittance/transport-http'
import { limit_bytes } from '../src/transport/body-requests.ts'

type Body = HttpRequest['body']

/** What a transport of `node:http` does otherwise than it should. */
export interface Mistake {
  /** Around the handler, beneath a sound transport. */
  handler?(handle: HttpHandler): HttpHandler
  method?(method: string): string
  body?(req: IncomingMessage): Promise<Body>
  answer?(res: ServerResponse, response: HttpResponse, req: IncomingMessage): void
}

export function listenerOf(mistake: Mistake, handle: HttpHandler): RequestListener {
  if (mistake.handler) return toNodeListener(mistake.handler(handle))
  const { method = asGet, body = buffer, answer = write } = mistake
  const exchange = async (req: IncomingMessage, res: ServerResponse) => {
    const response = await handle({
      method: method(req.method ?? 'GET'),
      target: req.url ?? '/',
      headers: joinedHeaders(req),
      body: await body(req),
      remote_address: req.socket.remoteAddress ?? null,
    })
    answer(res, response, req)
  }
  return (req, res) => void exchange(req, res).catch(() => res.destroy())
}

const asGet = (method: string) => (method === 'HEAD' ? 'GET' : method)

function write(res: ServerResponse, { status, headers, body }: HttpResponse): void {
  res.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}

type Mistaken = [what: string, breaks: string, mistake: Mistake, hangs?: 'hangs']

const as_plain = 'answers like the plain handler: '

const requests_changed: readonly Mistaken[] = [
  [
    'decodes a path',
    `${as_plain}an escaped slash for one that parts`,
    asking(({ target }) => ({ target: target.replace('%2F', '/') })),
  ],
  [
    'merges slashes',
    `${as_plain}two slashes`,
    asking(({ target }) => ({ target: target.replace('//', '/') })),
  ],
  [
    'takes a path that only begins like its mount',
    'does not serve a path that only begins like its mount',
    asking(({ target }) => ({ target: target.replace(/^\/v1\w*/, '/v1') })),
  ],
  [
    'takes a target with scheme and host for a path',
    'accepts a target with its scheme and host, as proxies send it',
    asking(({ target }) => ({ target: target.replace(/^http:/, '/http:') })),
  ],
  [
    'hands over one of the values of a header',
    `${as_plain}a key twice`,
    asking(({ headers }) => ({
      headers: { ...headers, authorization: String(headers.authorization).split(', ')[0] },
    })),
  ],
  [
    'writes a parsed body again',
    `${as_plain}a field twice`,
    asking(({ body }) => ({ body: reparsed(body) })),
  ],
  [
    'reads a body as text',
    `${as_plain}bytes that are no UTF-8`,
    asking(({ body }) => ({ body: body instanceof Uint8Array ? Buffer.from(String(body)) : body })),
  ],
  [
    'refuses a body of just the limit',
    `${as_plain}a body of 256 KiB`,
    asking(({ body }) => ({
      body: body instanceof Uint8Array && body.length >= limit_bytes ? tooLarge : body,
    })),
  ],
  [
    'believes what a client says of its address',
    'passes on the client’s address and user agent, and no address from a header',
    asking(({ headers }) => ({ remote_address: String(headers['x-forwarded-for']) })),
  ],
]

const answers_changed: readonly Mistaken[] = [
  ['adds an ETag', `${as_plain}an object`, adding({ etag: '"1"' })],
  ['lets any page read', `${as_plain}an object`, adding({ 'access-control-allow-origin': '*' })],
  [
    'names a character set',
    `${as_plain}an object`,
    adding({ 'content-type': 'application/json; charset=utf-8' }),
  ],
  [
    'closes every connection',
    'answers the requests of one connection in the order they came',
    adding({ connection: 'close' }),
  ],
  [
    'tells nobody how long to wait',
    'tells a client that is too fast how long to wait',
    answering(({ headers: { 'retry-after': _, ...headers } }) => ({ headers })),
  ],
  [
    'writes Latin-1',
    'answers like the plain handler to hostile bodies, paths, queries and headers',
    answering(({ body }) => ({ body: Buffer.from(String(body), 'latin1') })),
  ],
  [
    'keeps what it has answered',
    'answers with a list as it is now, even right after a change',
    {
      handler(handle) {
        const kept = new Map<string, Promise<HttpResponse>>()
        return (request) => {
          const answered = kept.get(request.target) ?? handle(request)
          if (request.method === 'GET') kept.set(request.target, answered)
          return answered
        }
      },
    },
  ],
  [
    'shows a fault of the handler',
    'answers with an empty 500 if the handler throws, and then serves the next request',
    failing(async (fault) => ({ ...escapedFault, body: String(fault) })),
  ],
  [
    'leaves a client alone with a fault',
    'answers with an empty 500 if the handler throws, and then serves the next request',
    failing(() => new Promise(() => undefined)),
    'hangs',
  ],
]

const on_the_socket: readonly Mistaken[] = [
  ['asks for HEAD', `${as_plain}HEAD`, { method: (method) => method }],
  [
    'says no length',
    `${as_plain}an object`,
    { answer: (res, { status, headers, body }) => void res.writeHead(status, headers).end(body) },
  ],
  [
    'answers what has no body with 200',
    `${as_plain}OPTIONS of a browser endpoint`,
    { answer: (res, response) => write(res, { ...response, status: Math.max(200, response.status % 204) }) },
  ],
  [
    'compresses',
    `${as_plain}a list, which may come compressed`,
    {
      answer(res, { status, headers, body }, req) {
        if (!req.headers['accept-encoding']) return write(res, { status, headers, body })
        const packed = gzipSync(body)
        write(res, { status, headers: { ...headers, 'content-encoding': 'gzip' }, body: packed })
      },
    },
  ],
  [
    'waits for all of a body that is too large',
    'refuses a body announced as too large before it is sent',
    { body: async (req) => atMost(limit_bytes, await buffer(req)) },
    'hangs',
  ],
  [
    'takes half a body',
    'never takes half a body for a whole one, framed by length',
    {
      async body(req) {
        const chunks: Buffer[] = []
        req.on('data', (chunk: Buffer) => void chunks.push(chunk)).on('error', () => undefined)
        await new Promise((resolve) => req.once('end', resolve).once('close', resolve))
        return Buffer.concat(chunks)
      },
    },
  ],
  [
    'hangs up on a body that is too large',
    'loses no answer to a client that keeps sending a body that is too large',
    {
      async body(req) {
        let size_bytes = 0
        for await (const chunk of req.iterator({ destroyOnReturn: false })) {
          size_bytes += chunk.length
          if (size_bytes > limit_bytes) break
        }
        return atMost(limit_bytes, Buffer.alloc(size_bytes))
      },
      answer: (res, { status, headers, body }, req) =>
        void res.writeHead(status, headers).end(body, () => req.socket.resetAndDestroy()),
    },
  ],
]

export const mistakes = [...requests_changed, ...answers_changed, ...on_the_socket]

function asking(change: (request: HttpRequest) => Partial<HttpRequest>): Mistake {
  return { handler: (handle) => (request) => handle({ ...request, ...change(request) }) }
}

function answering(change: (response: HttpResponse) => Partial<HttpResponse>): Mistake {
  return {
    handler: (handle) => async (request) => {
      const response = await handle(request)
      return { ...response, ...change(response) }
    },
  }
}

function adding(added: Record<string, string>): Mistake {
  return answering(({ headers }) => ({ headers: { ...headers, ...added } }))
}

function failing(answer: (fault: unknown) => Promise<HttpResponse>): Mistake {
  return { handler: (handle) => (request) => handle(request).catch(answer) }
}

function reparsed(body: Body): Body {
  try {
    return Buffer.from(JSON.stringify(JSON.parse(String(body))))
  } catch {
    return body
  }
}

const atMost = (limit: number, body: Buffer): Body => (body.length > limit ? tooLarge : body)
