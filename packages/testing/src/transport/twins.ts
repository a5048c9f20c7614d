import type { Engine, EngineOptions } from '@quittance/core'
import { createHandler, type HttpHandler } from '@quittance/transport-http'
import { onTestFinished } from 'vitest'
import { accepted, confirmedSession, openSession, pay } from '../builders/requests.ts'
import { openSandbox } from '../builders/sandbox.ts'
import { limit_bytes } from './body-requests.ts'
import { exchangeOverHttp2 } from './http2-exchange.ts'
import { exchange, joinedHeaders, type RawAnswer, type RawRequest } from './raw-http.ts'
import type { HostAnswer, SuiteRequest } from './requests.ts'

/** A transport that listens, for one test. */
export interface MountedTransport {
  /** `http://127.0.0.1:<port>`. The suite speaks HTTP/1.1 to it, or with `http2` HTTP/2, without TLS. */
  origin: string
  /** The mount prefix, as `/v1`; empty at the root. */
  base_path: string
  /**
   * The address that the transport reports for a client on the loopback interface; null if it cannot know. Mount it as if
   * without a proxy in front: a client may send `X-Forwarded-For` and the like, which must be ignored.
   */
  remote_address: string | null
  close(): PromiseLike<void>
}

type Limit = NonNullable<EngineOptions['rateLimit']>

type Between = (engine: Engine) => Engine

export type MountTransport = (engine: Engine) => PromiseLike<MountedTransport>

export interface Tried {
  mount: MountTransport
  host_answers: readonly HostAnswer[]
  http2: boolean
}

/** Two engines with the same history and the same seed: one behind the transport, one behind the plain handler. */
export interface Twins {
  mounted: MountedTransport
  /** The request as it is sent. */
  fill(request: SuiteRequest): RawRequest
  /** The transport's response, over a new connection. */
  ask(request: RawRequest): Promise<RawAnswer>
  /** The plain handler's response. */
  plainly(request: RawRequest): Promise<RawAnswer>
  /** The response of the engine behind the transport through a plain handler under another base path. */
  elsewhere(request: RawRequest): Promise<RawAnswer>
}

/** `between` returns what is mounted in the engine's place. */
export async function openTwins(
  { mount, http2 }: Tried,
  { rateLimit = false, between = (engine) => engine }: { rateLimit?: Limit; between?: Between } = {},
): Promise<Twins> {
  const [ours, theirs] = [await openShop(rateLimit), await openShop(rateLimit)]
  const mounted = await mount(between(ours.engine))
  onTestFinished(async () => void (await mounted.close()))
  const { base_path } = mounted
  const { http: plain } = createHandler(theirs.engine, { basePath: base_path })
  const { http: other } = createHandler(ours.engine, { basePath: '/elsewhere/v2' })
  return {
    mounted,
    ask: (request) => (http2 ? exchangeOverHttp2 : exchange)(mounted.origin, request),
    fill: (request) => filled(request, { names: ours.names, base_path }),
    plainly: (request) => answerOf(plain, request, mounted),
    elsewhere: (request) =>
      answerOf(
        other,
        { ...request, target: `/elsewhere/v2${request.target.slice(base_path.length)}` },
        mounted,
      ),
  }
}

/** A workspace with keys, and one of each object that requests name. The same seed makes the same ids. */
async function openShop(rateLimit: Limit) {
  const sandbox = await openSandbox({ rateLimit })
  const { engine, scope } = sandbox
  const newKey = async (type: 'secret' | 'publishable') =>
    accepted(await engine.admin.keys.create(scope, { type })).key
  const { id: session, client_secret = '' } = await openSession(sandbox, 'tok_test_visa')
  const { id: bank_session, client_secret: bank_secret = '' } = await openSession(
    sandbox,
    'btok_test_success',
  )
  const names: Record<string, string> = {
    secret: await newKey('secret'),
    publishable: await newKey('publishable'),
    session,
    client_secret,
    bank_session,
    bank_secret,
    confirmed: (await confirmedSession(sandbox, 'tok_test_visa')).id,
    declined: (await confirmedSession(sandbox, 'tok_test_declined')).id,
    payment: accepted(await pay(sandbox, 'tok_test_visa', { idempotency_key: 'earlier' })).id,
  }
  return { engine, names }
}

function filled(
  { method, path, authorization = 'Bearer {secret}', headers = [], untyped, body, chunked }: SuiteRequest,
  { names, base_path }: { names: Record<string, string>; base_path: string },
): RawRequest {
  const fill = (text: string) => text.replace(/\{([a-z_]+)\}/g, (whole, name) => names[name] ?? whole)
  const typed = body === undefined || untyped || headers.some(([name]) => name === 'Content-Type')
  return {
    method,
    target: `${base_path}${fill(path)}`.replace(/^(?!\/)/, '/'),
    headers: [
      ...(authorization === null ? [] : [['Authorization', fill(authorization)] as const]),
      ...(typed ? [] : [['Content-Type', 'application/json'] as const]),
      ...headers.map(([name, value]) => [name, fill(value)] as const),
    ],
    body: typeof body === 'string' ? fill(body) : body,
    chunked,
  }
}

async function answerOf(
  handle: HttpHandler,
  { method, target, headers, body = '' }: RawRequest,
  { remote_address }: MountedTransport,
): Promise<RawAnswer> {
  const bytes = Buffer.from(body)
  const answer = await handle({
    method: method === 'HEAD' ? 'GET' : method,
    target,
    headers: joinedHeaders(headers),
    body: bytes.length > limit_bytes ? { refused: `The body is larger than ${limit_bytes} bytes.` } : bytes,
    remote_address,
  })
  const { status } = answer
  if (status === 204) return { status, headers: answer.headers, body: '' }
  const sent = Buffer.from(answer.body)
  const sized = { ...answer.headers, 'content-length': String(sent.length) }
  return { status, headers: sized, body: method === 'HEAD' ? '' : sent.toString('latin1') }
}
