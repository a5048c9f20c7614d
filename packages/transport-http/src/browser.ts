import { operationNamed } from '@quittance/core'
import type { HttpRequest } from './message.ts'
import type { AnyRoute } from './test-helper-routes.ts'

/** Whether a web page may call it: true for the two endpoints that a publishable key opens. */
export function isBrowserRoute(route: AnyRoute): boolean {
  return 'operation' in route && operationNamed(route.operation).access.key !== 'secret'
}

/** The configured origins as browsers write them. Throws for one that no browser would write: it could never match. */
export function readOrigins(origins: readonly string[] | undefined): readonly string[] | null {
  if (origins == null) return null
  if (!Array.isArray(origins)) throw new TypeError(`\`origins\` is a list, not ${JSON.stringify(origins)}.`)
  return origins.map(originOf)
}

function originOf(text: string): string {
  // An application's own scheme, or a page without an origin.
  if (/^(null|(?!https?:)[a-z][a-z\d+.-]*:\/\/[^/*]+)$/.test(text)) return text
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || url.href !== `${url.origin}/` || url.hostname.includes('*'))
    throw new TypeError(`\`origins\` holds ${JSON.stringify(text)}, which is no origin.`)
  return url.origin
}

/** The `Access-Control-*` headers of a response to a page; none if its origin is not configured. */
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
