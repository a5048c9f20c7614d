import { operationNamed } from '@quittance/core'
import type { AnyRoute } from './exchange.ts'
import type { HttpRequest } from './message.ts'

/** Whether a web page may call it: true for the two endpoints that a publishable key opens. */
export function isBrowserRoute(route: AnyRoute): boolean {
  return 'operation' in route && operationNamed(route.operation).access.key !== 'secret'
}

/** The `Access-Control-*` headers of an answer to a page; none if its origin is not a configured one. */
export function corsHeaders(
  { origins }: { origins: readonly string[] | null },
  { headers }: HttpRequest,
): Record<string, string> {
  const exposed = { 'access-control-expose-headers': 'Request-Id, Retry-After, Idempotent-Replayed' }
  if (origins === null) return { 'access-control-allow-origin': '*', ...exposed }
  const { origin } = headers
  if (typeof origin !== 'string' || !origins.includes(origin)) return { vary: 'Origin' }
  return { 'access-control-allow-origin': origin, vary: 'Origin', ...exposed }
}

/** The headers that answer `OPTIONS`: what a page may send. Credentials are never allowed. */
export function preflight(
  surface: { origins: readonly string[] | null },
  request: HttpRequest,
): Record<string, string> {
  return {
    ...corsHeaders(surface, request),
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
    'access-control-max-age': '600',
  }
}
