import { createHash } from 'node:crypto'
import { canonicalJson, err, type OperationRequest, ok, type Result } from '@quittance/core'
import { type JsonValue, parseJson } from './json.ts'
import { type HttpRequest, isRefused } from './message.ts'
import type { QueryRefused, Target } from './query.ts'

type Input = OperationRequest['input']

/** What a request says: its parameters in one object, and what distinguishes it from other requests. */
interface RequestParameters {
  input: Input
  /** The body's part of the fingerprint: its canonical JSON, or its bytes, marked, if it does not parse. */
  canonical: string
}

/** The parameters of path and query. */
export function queryParameters(query: Target['query'], params: Record<string, string>): RequestParameters {
  return { input: query.isErr() ? err(query.error) : combine(numbered(query.value), params), canonical: '' }
}

/** The parameters of path and body. Query parameters are refused here. */
export function bodyParameters(
  request: HttpRequest,
  query: Target['query'],
  params: Record<string, string>,
): RequestParameters {
  const { input: parsed, canonical } = parseBody(request)
  const input = query
    .andThen(refuseAny)
    .andThen(() => parsed)
    .andThen((given) => combine(given as Record<string, unknown>, params))
  // Whatever is wrong, the engine still searches the body for payment details before it stores any of it.
  const body = parsed.match(
    (given) => ({ body: given }),
    ({ text = '' }) => ({ text }),
  )
  return { input: input.mapErr((error) => ({ ...error, ...body })), canonical }
}

/**
 * A digest of method, path and body. The same Idempotency-Key with another fingerprint is another request. The path is
 * the one below the base path, so that a retry through another mount is a replay.
 */
export function fingerprintOf(method: string, path: string, { canonical }: RequestParameters): string {
  return createHash('sha256').update(`${method} ${path}\n`).update(canonical).digest('hex')
}

function refuseAny(query: Record<string, string>): Result<null, QueryRefused> {
  const [param] = Object.keys(query)
  return param === undefined ? ok(null) : err({ param, message: 'Unknown query parameter.' })
}

function parseBody({ body, headers }: HttpRequest): RequestParameters {
  if (isRefused(body)) return { input: err({ message: body.refused }), canonical: body.refused }
  if (body.length === 0) return { input: ok({}), canonical: '{}' }
  const refuse = (message: string): RequestParameters => {
    const text = Buffer.from(body).toString('latin1')
    // The same bytes may also be canonical JSON, sent with another Content-Type.
    return { input: err({ message, text }), canonical: `not JSON\n${text}` }
  }
  if (!isJson(headers['content-type'])) return refuse('The Content-Type must be application/json.')
  const parsed = parseJson(body)
  if (parsed.isErr()) return refuse(parsed.error)
  if (!isObject(parsed.value)) return refuse('The body must be a JSON object.')
  return { input: ok(parsed.value), canonical: canonicalJson(parsed.value) }
}

function isJson(content_type: string | string[] | undefined): boolean {
  return typeof content_type === 'string' && /^application\/json *(;.*)?$/i.test(content_type.trim())
}

function isObject(value: JsonValue): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Merges the parameters, and refuses one that repeats a parameter of the path. */
function combine(given: Record<string, unknown>, params: Record<string, string>): Input {
  for (const name of Object.keys(params)) {
    if (Object.hasOwn(given, name)) return err({ param: name, message: 'Unknown parameter.' })
  }
  return ok({ ...given, ...params })
}

/** Queries are text. A `limit` in plain digits is a number; `020` and `1e1` stay text, which the schema refuses. */
function numbered(query: Record<string, string>): Record<string, unknown> {
  const { limit } = query
  return limit !== undefined && /^(0|[1-9]\d{0,8})$/.test(limit) ? { ...query, limit: Number(limit) } : query
}
