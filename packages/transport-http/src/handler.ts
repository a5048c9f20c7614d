import { baseOf, type Engine, newRequestId, option, refuseWrongOptions } from '@quittance/core'
import { isBrowserRoute, preflight, readOrigins } from './browser.ts'
import { check } from './checks.ts'
import { commonHeaders, type Exchange, guard, responseOf, type Surface } from './exchange.ts'
import { type FetchHandler, type FetchOptions, toFetchHandler } from './fetch.ts'
import type { HttpRequest, HttpResponse } from './message.ts'
import { serveOpenApi } from './openapi/serve.ts'
import { type PagesOption, withPages } from './pages.ts'
import { parseTarget, pathBelow } from './query.ts'
import { createRateLimits, type LimitsOption } from './rate-limit.ts'
import { createRouter } from './router.ts'
import { routes } from './routes.ts'
import { type AnyRoute, testHelperRoutes } from './test-helper-routes.ts'

export interface HandlerOptions extends FetchOptions, LimitsOption, PagesOption {
  /** Where the API is mounted, ending with the version segment. */
  basePath?: string | undefined
  /** Serves one environment only: the other's keys are refused. By default the key decides. */
  environment?: 'sandbox' | 'live' | undefined
  /** Origins whose pages may call the browser endpoints; by default any. */
  origins?: readonly string[] | undefined
}

/** The API of an engine as a fetch handler: `(request: Request) => Promise<Response>`. */
export function createHandler(engine: Engine, options: HandlerOptions = {}): FetchHandler {
  if (typeof engine?.execute !== 'function')
    throw new TypeError('A handler is that of an engine: `createHandler(engine)`.')
  refuseWrongOptions('createHandler', options, {
    basePath: option.text,
    environment: option.any,
    origins: option.any,
    limits: option.call,
    pages: option.any,
    remoteAddress: option.call,
  })
  const { basePath = '/v1', environment, origins } = options
  if (!['sandbox', 'live', undefined].includes(environment))
    throw new TypeError(`\`environment\` is "sandbox" or "live", not "${environment}".`)
  const surface: Surface = {
    engine,
    router: createRouter<AnyRoute>(engine.testHelpers === null ? routes : [...routes, ...testHelperRoutes]),
    limits: createRateLimits(engine, options),
    base_path: baseOf(basePath),
    livemode: environment === undefined ? null : environment === 'live',
    origins: readOrigins(origins),
    openApi: serveOpenApi({ brand: engine.brand }),
  }
  const api = (request: HttpRequest) => respond(surface, request)
  return toFetchHandler(withPages(api, options, surface), options)
}

async function respond(surface: Surface, request: HttpRequest): Promise<HttpResponse> {
  const request_id = newRequestId(surface.engine.ids)
  const { path, ...parameters } = parseTarget(request.target)
  const base_path = (request.mount ?? '') + surface.base_path
  const inside = pathBelow(base_path, path)
  const matched = surface.router.match(request.method, inside)
  const exchange: Exchange = { surface, request, request_id, inside, matched, ...parameters }
  if (request.method === 'OPTIONS' && surface.router.at(inside).some(isBrowserRoute)) {
    const headers = { ...commonHeaders(request_id), ...preflight(surface, request) }
    return { status: 204, headers, body: '' }
  }
  return guard(exchange, async () => {
    if ('fault' in request) throw request.fault
    const document = surface.openApi(request.method, { path, base_path })
    if (document === null) return check(exchange)
    return responseOf(exchange, { status: 200, body: document, replayed: false, code: null })
  })
}
