import { alreadyRead, body_limit_bytes, declaresTooMuch, emptyBody, tooLarge } from './body-source.ts'
import {
  addressFrom,
  type BodyRefused,
  escapedFault,
  type HttpHandler,
  type HttpResponse,
  isBodiless,
} from './message.ts'
import { originForm } from './query.ts'

export interface FetchOptions {
  /** Gets the client's address from the runtime. `Request` has none, so the default is null. */
  remoteAddress?: ((request: Request) => string | null) | undefined
}

/** `http` is the plain handler underneath, which the Node adapters call without making a `Request`. */
export type FetchHandler = ((request: Request) => Promise<Response>) & { readonly http: HttpHandler }

/** Answers a WHATWG `Request`, and never rejects. Throws for a Node request, which would get no response. */
export function toFetchHandler(handler: HttpHandler, options: FetchOptions = {}): FetchHandler {
  if (typeof handler !== 'function' || 'http' in handler)
    throw new TypeError(
      '`toFetchHandler` takes a plain handler: that of an engine answers a `Request` already.',
    )
  const answer = async (request: Request): Promise<Response> => {
    try {
      const response = await handler({
        method: request.method === 'HEAD' ? 'GET' : request.method,
        target: originForm(request.url),
        headers: Object.fromEntries(request.headers),
        body: await readBody(request),
        ...addressFrom(() => options.remoteAddress?.(request)),
      })
      return responseOf(request, response)
    } catch {
      return responseOf(request, escapedFault)
    }
  }
  const answerWeb = (request: Request) => {
    if (typeof request?.headers?.get !== 'function') throw new TypeError(not_a_request)
    return answer(request)
  }
  return Object.assign(answerWeb, { http: handler })
}

const not_a_request =
  'A handler takes a `Request`. On node:http it is `toNodeListener(handler)`; Express has `expressRouter`, Fastify `fastifyPlugin`.'

/** Refuses `remoteAddress` for frameworks that know the client's address themselves. */
export function refuseAddress(options: object, setting: string): void {
  if (Reflect.get(options, 'remoteAddress') !== undefined)
    throw new TypeError(
      `The client's address is the framework's own (\`${setting}\`): \`remoteAddress\` has no effect.`,
    )
}

/** Rejects if the body breaks off: half a body is not a request, and must not use up an Idempotency-Key. */
async function readBody(request: Request): Promise<Uint8Array | BodyRefused> {
  if (request.bodyUsed || request.body?.locked) return alreadyRead
  if (request.body === null) return emptyBody
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader()
  if (declaresTooMuch(request.headers.get('content-length'))) return refuse(reader)
  const chunks: Uint8Array[] = []
  let size_bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size_bytes)
    size_bytes += value.length
    if (size_bytes > body_limit_bytes) return refuse(reader)
    chunks.push(value)
  }
}

/** Does not wait for the cancel, and ignores its failure: the body is no longer wanted. */
function refuse(reader: ReadableStreamDefaultReader<Uint8Array>): BodyRefused {
  reader.cancel().catch(() => undefined)
  return tooLarge
}

function responseOf(request: Request, { status, headers, body }: HttpResponse): Response {
  if (isBodiless(status)) return new Response(null, { status, headers })
  const sized = { ...headers, 'content-length': String(Buffer.byteLength(body)) }
  return new Response(request.method === 'HEAD' ? null : Buffer.from(body), { status, headers: sized })
}
