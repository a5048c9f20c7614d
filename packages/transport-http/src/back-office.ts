import {
  answeredInTime,
  type BackOfficeError,
  backOfficeCatalogue,
  baseOf,
  type Clock,
  type Engine,
  err,
  newRequestId,
  option,
  type Result,
  backOfficeRefusal as refusal,
  refuseWrongOptions,
  stackOf,
} from '@quittance/core'
import { commonHeaders, header } from './exchange.ts'
import { type FetchHandler, toFetchHandler } from './fetch.ts'
import type { HttpRequest, HttpResponse } from './message.ts'
import { parseTarget, pathBelow, type Target } from './query.ts'
import { bodyParameters, queryParameters } from './read-input.ts'
import { createRouter, type Matched } from './router.ts'

export interface BackOfficeOptions {
  /** Whether this is the back-office token. Compare in constant time. */
  authorize(token: string): boolean | Promise<boolean>
  /** Where the back office is mounted; by default at the root. */
  basePath?: string | undefined
}

type Answer = Result<unknown, BackOfficeError>

interface Reply {
  answer: Answer
  headers?: Record<string, string>
}

export interface BackOfficeRoute {
  method: 'GET' | 'POST'
  path: string
  guarded: boolean
  run(engine: Engine, input: { body: unknown; params: Record<string, string> }): Promise<Answer>
}

/** Every path of the back office, relative to its base path. */
export const backOfficeRoutes: readonly BackOfficeRoute[] = [
  {
    method: 'POST',
    path: '/back-office/sync/historical',
    guarded: true,
    run: async (engine, { body }) => engine.backOffice.syncHistorical(body),
  },
  {
    method: 'POST',
    path: '/back-office/onboard/entity',
    guarded: true,
    run: async (engine, { body }) => engine.backOffice.onboardEntity(body),
  },
  {
    method: 'POST',
    path: '/service/organization/{id}/api-keys',
    guarded: true,
    run: async (engine, { body, params: { id = '' } }) => {
      const [extra] = Object.keys(body as object)
      return extra === undefined
        ? engine.backOffice.createOrganizationKey(id)
        : err(misread({ param: extra, message: 'Unknown field' }))
    },
  },
  { method: 'GET', path: '/health', guarded: false, run: async (engine) => engine.backOffice.health() },
]

/** The back office of an engine, in its own envelope (specification: Back-office endpoints). */
export function createBackOffice(engine: Engine, options: BackOfficeOptions): FetchHandler {
  if (typeof engine?.execute !== 'function')
    throw new TypeError('A back office is that of an engine: `createBackOffice(engine, { authorize })`.')
  refuseWrongOptions('createBackOffice', options, {
    authorize: option.any,
    basePath: option.text,
  })
  const { authorize, basePath = '' } = options
  if (typeof authorize !== 'function') throw new TypeError('The back office needs `authorize`.')
  const base_path = baseOf(basePath)
  const router = createRouter(backOfficeRoutes)

  const answer = async (
    request: HttpRequest,
    query: Target['query'],
    { route, params }: Matched<BackOfficeRoute>,
  ): Promise<Reply> => {
    if (route.guarded && !(await isAuthorized(request, authorize, engine.clock))) {
      return { answer: err(refusal('unauthorized')), headers: { 'www-authenticate': 'Bearer' } }
    }
    const parameters =
      route.method === 'POST' ? bodyParameters(request, query, {}) : queryParameters(query, {})
    if (parameters.input.isErr()) return { answer: err(misread(parameters.input.error)) }
    return { answer: await route.run(engine, { body: parameters.input.value, params }) }
  }

  return toFetchHandler(async (request) => {
    const request_id = newRequestId(engine.ids)
    const { path, query } = parseTarget(request.target)
    const inside = pathBelow(`${request.mount ?? ''}${base_path}`, path)
    const matched = router.match(request.method, inside)
    if (!matched) return respond(request_id, unmatched(router.at(inside)))
    try {
      return respond(request_id, await answer(request, query, matched))
    } catch (fault) {
      // Logs the route, not the path: somebody may have put a secret where an id belongs.
      const { method, path: route } = matched.route
      engine.logger.error('a back-office request failed', {
        request_id,
        method,
        route,
        fault: stackOf(fault),
      })
      return respond(request_id, { answer: err(refusal('internal_server_error')) })
    }
  })
}

/** The response if none of the path's routes has this method. */
function unmatched(of_path: readonly BackOfficeRoute[]): Reply {
  if (of_path.length === 0) return { answer: err(refusal('not_found')) }
  const allow = of_path.map(({ method }) => method).join(', ')
  return { answer: err(refusal('method_not_allowed')), headers: { allow } }
}

/** Longer than any look-up of a token takes. */
const authorize_limit = { limit_ms: 10_000, late: '`authorize` has not answered within 10 s.' }

async function isAuthorized(
  request: HttpRequest,
  authorize: BackOfficeOptions['authorize'],
  clock: Clock,
): Promise<boolean> {
  const token = /^Bearer +(\S+) *$/i.exec(header(request, 'authorization') ?? '')?.[1]
  return (
    token !== undefined && (await answeredInTime(clock, authorize_limit, () => authorize(token))) === true
  )
}

/** `validation_error` for a fault in one field, `bad_request` for a body that cannot be read. */
function misread({ param, message }: { param?: string; message: string }): BackOfficeError {
  if (param === undefined) return refusal('bad_request', message)
  return refusal('validation_error', undefined, [{ path: param, message }])
}

function respond(request_id: string, { answer, headers = {} }: Reply): HttpResponse {
  const envelope = answer.match(
    (data) => ({ data, code: 'health_status_ok' as const, message: backOfficeCatalogue.health_status_ok[1] }),
    ({ code, message, data }) => ({ code, message, data }),
  )
  return {
    status: backOfficeCatalogue[envelope.code][0],
    headers: { ...commonHeaders(request_id), 'content-type': 'application/json', ...headers },
    body: JSON.stringify(envelope),
  }
}
