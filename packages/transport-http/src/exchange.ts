import {
  type Answer,
  type Caller,
  type DomainError,
  type Engine,
  errorBody,
  fail,
  stackOf,
  statusOf,
} from '@quittance/core'
import { corsHeaders, isBrowserRoute } from './browser.ts'
import type { HttpRequest, HttpResponse } from './message.ts'
import type { serveOpenApi } from './openapi/serve.ts'
import type { Target } from './query.ts'
import type { RateLimits } from './rate-limit.ts'
import type { Matched, Router } from './router.ts'
import type { AnyRoute } from './test-helper-routes.ts'

/** One HTTP surface of an engine. */
export interface Surface {
  engine: Engine
  router: Router<AnyRoute>
  limits: RateLimits
  base_path: string
  livemode: boolean | null
  origins: readonly string[] | null
  openApi: ReturnType<typeof serveOpenApi>
}

/** A request being answered: its id, what it asks for, and its route. */
export interface Exchange {
  surface: Surface
  request: HttpRequest
  request_id: string
  /** The path below the base path; empty if it is elsewhere. */
  inside: string
  query: Target['query']
  readable: Target['readable']
  matched: Matched<AnyRoute> | null
  /** Whose key it is, once that is known. A browser's response needs CORS headers, or its page cannot read it. */
  caller?: Caller
}

/** An error of the catalogue, in the specification's body. */
export function refusal(
  exchange: Exchange,
  { error }: { error: DomainError },
  retry_after_s?: number,
): HttpResponse {
  const body = JSON.stringify(errorBody(error, exchange.request_id))
  const response = responseOf(exchange, {
    status: statusOf(error.code),
    body,
    replayed: false,
    code: error.code,
  })
  if (retry_after_s !== undefined) response.headers['retry-after'] = String(retry_after_s)
  return response
}

export function responseOf(exchange: Exchange, answer: Answer): HttpResponse {
  const { surface, request, request_id, matched, caller } = exchange
  const headers: Record<string, string> = { ...commonHeaders(request_id), 'content-type': 'application/json' }
  if (answer.status === 401) headers['www-authenticate'] = 'Bearer'
  if (answer.replayed) headers['idempotent-replayed'] = 'true'
  if (answer.code === 'idempotency_key_in_flight') headers['retry-after'] = '1'
  const browser = matched !== null && isBrowserRoute(matched.route) && caller?.key !== 'secret'
  return {
    status: answer.status,
    headers: browser ? { ...headers, ...corsHeaders(surface, request) } : headers,
    body: answer.body,
  }
}

/** The headers of every response. */
export function commonHeaders(request_id: string): Record<string, string> {
  return { 'request-id': request_id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
}

export function header({ headers }: HttpRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** Answers a fault with `500`. Logs the route, not the path: somebody may have put a secret where an id belongs. */
export async function guard(exchange: Exchange, work: () => Promise<HttpResponse>): Promise<HttpResponse> {
  const { surface, request, request_id, matched } = exchange
  try {
    return await work()
  } catch (fault) {
    surface.engine.logger.error('a request failed', {
      request_id,
      method: request.method,
      route: matched?.route.path ?? null,
      fault: stackOf(fault),
    })
    return refusal(exchange, fail('internal_error'))
  }
}
