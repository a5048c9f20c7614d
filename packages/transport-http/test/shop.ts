import {
  createEngine,
  type EngineOptions,
  type ErrorCode,
  type KeyScope,
  type Logger,
  type Scope,
} from '@quittance/core'
import { simulatedProcessor } from '@quittance/processor-simulator'
import { freshStore } from '../../core/test/stores/tested-store.ts'
import { createHandler, type HandlerOptions } from '../src/handler.ts'
import { toNodeListener } from '../src/node.ts'
import { listen } from './echo.ts'

/** Any body of the API, as far as tests look into it by name. */
export interface Body {
  [field: string]: unknown
  id: string
  status: string
  client_secret: string
  data: Body[]
  has_more: boolean
  error: {
    type: string
    code: ErrorCode
    message: string
    param?: string
    request_id: string
    payment?: string
    decline_code?: string
  }
}

export interface Reply {
  status: number
  headers: Headers
  text: string
  /** `{}` where there is no body. */
  body: Body
}

export interface Request {
  /** Null: no Authorization header. */
  key?: string | null
  /** An object is sent as JSON, text and bytes as they are. */
  body?: object | string | Uint8Array
  headers?: Record<string, string>
}

export type Send = (method: string, path: string, request?: Request) => Promise<Reply>
export type Shop = Awaited<ReturnType<typeof openShop>>

/** An engine behind a real socket, with a workspace's four kinds of key; closed with the test. */
export async function openShop(options: Partial<EngineOptions> & { handler?: HandlerOptions } = {}) {
  const { handler = {}, ...given } = options
  const { logged, logger } = capturingLogger()
  const store = given.store ?? (await freshStore())
  const engine = createEngine({
    store,
    secret: 'a secret of at least thirty-two bytes',
    processors: { sandbox: simulatedProcessor(), live: simulatedProcessor() },
    publicUrl: 'https://pay.example.com',
    rateLimit: false,
    logger,
    ...given,
  })
  const workspace = (await engine.admin.workspaces.create({ name: 'Acme' })).id
  const sandbox: Scope = { workspace, livemode: false }
  const live: Scope = { workspace, livemode: true }
  const newKey = async (
    scope: Scope,
    type: 'secret' | 'publishable' = 'secret',
    scopes?: readonly KeyScope[],
  ) =>
    (
      await engine.admin.keys.create(scope, { type, ...(scopes ? { scopes: [...scopes] } : {}) })
    )._unsafeUnwrap()
  const keys = {
    secret: (await newKey(sandbox)).key,
    publishable: (await newKey(sandbox, 'publishable')).key,
    live: (await newKey(live)).key,
    live_publishable: (await newKey(live, 'publishable')).key,
  }
  const revokedKey = async () => {
    const { id, key } = await newKey(sandbox)
    await engine.admin.keys.revoke(sandbox, { id })
    return key
  }
  const { port, url } = await listen(toNodeListener(createHandler(engine, handler)))
  const send = sender(`${url}${handler.basePath ?? '/v1'}`.replace(/\/$/, ''), keys.secret)
  return { engine, store, port, url, sandbox, live, newKey, revokedKey, keys, logged, send }
}

/** Sends requests to `base_url`, by default with `secret_key`. */
export function sender(base_url: string, secret_key: string): Send {
  return async (method, path, { key = secret_key, body, headers = {} } = {}) => {
    const response = await fetch(`${base_url}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: bytesOf(body) }),
    })
    return replyOf(response)
  }
}

export async function replyOf(response: Response): Promise<Reply> {
  const text = await response.text()
  const { status, headers } = response
  return { status, headers, text, body: text === '' ? ({} as Body) : (JSON.parse(text) as Body) }
}

/** The code and the parameter of an error, in one value to compare. */
export function refusal({ status, body }: Reply) {
  return { status, code: body.error?.code, param: body.error?.param }
}

/** A body without the one thing that differs between two answers to the same mistake. */
export function withoutRequestId({ text, body }: Reply): string {
  return text.replaceAll(body.error?.request_id ?? '-', 'req')
}

let keys_made = 0
/** Headers with an Idempotency-Key that no other request has. */
export const fresh = (): Record<string, string> => {
  keys_made += 1
  return { 'idempotency-key': `key-${keys_made}` }
}

function bytesOf(body: object | string | Uint8Array): string | Uint8Array<ArrayBuffer> {
  if (body instanceof Uint8Array) return Uint8Array.from(body)
  return typeof body === 'string' ? body : JSON.stringify(body)
}

function capturingLogger() {
  const logged: string[] = []
  const note = (message: string, fields?: Record<string, unknown>) => {
    logged.push(`${message} ${JSON.stringify(fields ?? {})}`)
  }
  const logger: Logger = { info: note, warn: note, error: note }
  return { logged, logger }
}
