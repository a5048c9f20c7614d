import {
  type Answer,
  type Caller,
  type DomainError,
  type Engine,
  errorBody,
  fail,
  ok,
  type Result,
  statusOf,
} from '@quittance/core'
import { corsHeaders, isBrowserRoute, preflight } from './browser.ts'
import { type FetchHandler, type FetchOptions, toFetchHandler } from './fetch.ts'
import type { HttpRequest, HttpResponse } from './message.ts'
import { serveOpenApi } from './openapi/serve.ts'
import { type PagesOption, withPages } from './pages.ts'
import { parseTarget, type Target } from './query.ts'
import { createRateLimits, type RateLimits } from './rate-limit.ts'
import { fingerprintOf, readBody, readQuery } from './read-input.ts'
import { createRouter, type Matched, type Route, type Router, routes } from './routes.ts'
import { type TestHelperRoute, testHelperRoutes } from './test-helper-routes.ts'

export interface HandlerOptions extends FetchOptions, PagesOption {
  /** Where the API is mounted; ends with the version segment. */
  basePath?: string
  /** Serves one environment only: the other's keys are refused. By default the key decides. */
  environment?: 'sandbox' | 'live'
  /** Origins whose pages may call the browser endpoints; by default any. */
  origins?: readonly string[]
}

type AnyRoute = Route | TestHelperRoute

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

/** The API of an engine as a fetch handler: `(request: Request) => Promise<Response>`. */
export function createHandler(engine: Engine, options: HandlerOptions = {}): FetchHandler {
  const { basePath = '/v1', environment, origins = null } = options
  const base_path = basePath === '/' ? '' : basePath.replace(/\/$/, '')
  const surface: Surface = {
    engine,
    router: createRouter<AnyRoute>([...routes, ...testHelperRoutes(engine.testHelpers)]),
    limits: createRateLimits(engine),
    base_path,
    livemode: environment === undefined ? null : environment === 'live',
    origins,
    openApi: serveOpenApi({ base_path, brand: engine.brand }),
  }
  const api = (request: HttpRequest) => respond(surface, request)
  return toFetchHandler(withPages(api, options, surface.limits), options)
}

/** A request under way: its id, what it asks for, and where that leads. */
interface Exchange {
  surface: Surface
  request: HttpRequest
  request_id: string
  path: string
  query: Target['query']
  matched: Matched<AnyRoute> | null
}

async function respond(surface: Surface, request: HttpRequest): Promise<HttpResponse> {
  const request_id = `req_${surface.engine.ids.secret(24)}`
  const { path, query } = parseTarget(request.target)
  const inside = path.startsWith(`${surface.base_path}/`) ? path.slice(surface.base_path.length) : ''
  const matched = surface.router.match(request.method, inside)
  const exchange: Exchange = { surface, request, request_id, path, query, matched }
  if (request.method === 'OPTIONS' && surface.router.at(inside).some(isBrowserRoute)) {
    return {
      status: 204,
      headers: { ...commonHeaders(request_id), ...preflight(surface, request) },
      body: '',
    }
  }
  return guard(exchange, null, async () => describe(exchange) ?? check(exchange))
}

/** A fault is logged and answered `500`. */
async function guard(
  exchange: Exchange,
  caller: Caller | null,
  work: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { surface, request, request_id, path } = exchange
  try {
    return await work()
  } catch (fault) {
    const stack = fault instanceof Error ? fault.stack : String(fault)
    surface.engine.logger.error('a request failed', {
      request_id,
      method: request.method,
      path,
      fault: stack,
    })
    return refuse(exchange, { code: 'internal_error' }, caller)
  }
}

/** The API's own description, before any check. */
function describe({ surface, request, path, request_id }: Exchange): HttpResponse | null {
  const body = surface.openApi(request.method, path)
  if (body === null) return null
  return { status: 200, headers: { ...commonHeaders(request_id), 'content-type': 'application/json' }, body }
}

/** The checks of a request, in their order; the sixth to the tenth are the engine's. */
async function check(exchange: Exchange): Promise<HttpResponse> {
  const { surface, request } = exchange
  const known = await surface.engine.authenticate(header(request, 'authorization'), {
    ip_address: request.remote_address,
    user_agent: header(request, 'user-agent') ?? null,
  })
  if (known.isErr()) return refuse(exchange, known.error, null)
  return guard(exchange, known.value.caller, () => checkFor(exchange, known.value))
}

async function checkFor(
  exchange: Exchange,
  { caller, key_id }: { caller: Caller; key_id: string },
): Promise<HttpResponse> {
  const { matched } = exchange
  const admitted = admit(exchange, caller)
  if (admitted.isErr()) return refuse(exchange, admitted.error, caller)
  const opened = caller.key === 'publishable' ? await openSession(exchange, caller) : ok(exchange.query)
  if (opened.isErr()) return refuse(exchange, opened.error, caller)
  const wait_s = await takeTurn(exchange, { caller, key_id })
  if (wait_s !== null) return refuse(exchange, { code: 'rate_limit_exceeded' }, caller, wait_s)
  if (!matched) return refuse(exchange, { code: 'resource_missing' }, caller)
  return run({ ...exchange, query: opened.value, matched }, caller)
}

/** The key fits the mount and the kind of endpoint, and its workspace has the API. */
function admit({ surface, matched }: Exchange, caller: Caller): Result<Caller, DomainError> {
  if (surface.livemode !== null && caller.livemode !== surface.livemode)
    return fail('api_key_environment_mismatch')
  const browser = matched !== null && isBrowserRoute(matched.route)
  if (caller.key === 'publishable' && !browser) return fail('publishable_key_not_allowed')
  if (!caller.workspace.api_enabled) return fail('developer_integrations_disabled')
  return ok(caller)
}

/** A publishable key opens one session, with that session's client secret; what is left of the query is answered. */
async function openSession(
  { surface: { engine }, matched, query }: Exchange,
  caller: Caller,
): Promise<Result<Target['query'], DomainError>> {
  const id = matched?.params.id ?? ''
  const other = caller.livemode ? 'pms_test_' : 'pms_live_'
  if (id.startsWith(other)) return fail('api_key_environment_mismatch')
  // An unreadable query shows no client secret, so that nothing further is done for it.
  if (query.isErr()) return fail('parameter_invalid', query.error)
  const { client_secret, ...rest } = query.value
  if (!client_secret) return fail('client_secret_missing')
  const scopes = ['payment_methods:tokenize'] as const
  const session = await engine.payment_method_sessions.retrieve({ ...caller, scopes }, { id })
  if (session.isErr()) return fail(session.error.code)
  return engine.isClientSecret(id, client_secret) ? ok(ok(rest)) : fail('invalid_client_secret')
}

/** Card testing is slowed per session, everything else per key. */
function takeTurn(
  { surface: { limits }, matched }: Exchange,
  { caller, key_id }: { caller: Caller; key_id: string },
) {
  const environment = caller.livemode ? limits.live : limits.sandbox
  if (caller.key === 'secret') return environment(key_id)
  const session = matched?.params.id ?? ''
  return matched?.route.method === 'POST' ? limits.confirm(session) : environment(`${key_id} ${session}`)
}

async function run(
  exchange: Exchange & { matched: Matched<AnyRoute> },
  caller: Caller,
): Promise<HttpResponse> {
  const { surface, request, request_id, path, query } = exchange
  const { route, params } = exchange.matched
  const said = route.method === 'POST' ? readBody(request, query, params) : readQuery(query, params)
  if ('help' in route) {
    if (caller.livemode) return refuse(exchange, { code: 'resource_missing' }, caller)
    const answer = said.input.isOk()
      ? await route.help(caller, said.input.value)
      : fail('parameter_invalid', said.input.error)
    return answer.match(
      (value) =>
        send(exchange, { status: 200, body: JSON.stringify(value), replayed: false, code: null }, caller),
      (error) => refuse(exchange, error, caller),
    )
  }
  const idempotency_key = route.method === 'POST' ? header(request, 'idempotency-key') : undefined
  const answer = await surface.engine.execute({
    operation: route.operation,
    caller,
    input: said.input,
    request_id,
    idempotency_key,
    fingerprint: idempotency_key === undefined ? '' : fingerprintOf(request.method, path, said),
  })
  return send(exchange, answer, caller)
}

function refuse(
  exchange: Exchange,
  error: DomainError,
  caller: Caller | null,
  retry_after_s?: number,
): HttpResponse {
  const body = JSON.stringify(errorBody(error, exchange.request_id))
  const sent = send(
    exchange,
    { status: statusOf(error.code), body, replayed: false, code: error.code },
    caller,
  )
  if (retry_after_s !== undefined) sent.headers['retry-after'] = String(retry_after_s)
  return sent
}

function send(
  { surface, request, request_id, matched }: Exchange,
  answer: Answer,
  caller: Caller | null,
): HttpResponse {
  const headers: Record<string, string> = { ...commonHeaders(request_id), 'content-type': 'application/json' }
  if (answer.replayed) headers['idempotent-replayed'] = 'true'
  if (answer.code === 'idempotency_key_in_flight') headers['retry-after'] = '1'
  const browser = matched !== null && isBrowserRoute(matched.route) && caller?.key !== 'secret'
  return {
    status: answer.status,
    headers: browser ? { ...headers, ...corsHeaders(surface, request) } : headers,
    body: answer.body,
  }
}

function commonHeaders(request_id: string): Record<string, string> {
  return { 'request-id': request_id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }
}

function header({ headers }: HttpRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}
