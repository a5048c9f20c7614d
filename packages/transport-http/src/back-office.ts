import {
  type BackOfficeCode,
  type BackOfficeError,
  backOfficeCatalogue,
  type Engine,
  err,
  type Result,
  backOfficeRefusal as refusal,
} from '@quittance/core'
import { type FetchHandler, type FetchOptions, toFetchHandler } from './fetch.ts'
import { baseOf } from './handler.ts'
import type { HttpRequest, HttpResponse } from './message.ts'
import { parseTarget, type Target } from './query.ts'
import { readBody, readQuery } from './read-input.ts'
import { createRouter } from './router.ts'

export interface BackOfficeOptions extends FetchOptions {
  /** Whether this is the back-office token. Compare in constant time. */
  authorize(token: string): boolean | Promise<boolean>
  /** Where the back office is mounted; by default at the root. */
  basePath?: string
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
      return extra === undefined ? engine.backOffice.createOrganizationKey(id) : err(unknownField(extra))
    },
  },
  { method: 'GET', path: '/health', guarded: false, run: async (engine) => engine.backOffice.health() },
]

/** The back office of an engine, in its own envelope (specification: Back-office endpoints). */
export function createBackOffice(engine: Engine, options: BackOfficeOptions): FetchHandler {
  const { authorize, basePath = '' } = options
  if (typeof authorize !== 'function') throw new TypeError('The back office needs `authorize`.')
  const base_path = baseOf(basePath)
  const router = createRouter(backOfficeRoutes)

  const insideOf = (request: HttpRequest, { path }: Target): string => {
    const base = `${request.mount ?? ''}${base_path}`
    return path.startsWith(`${base}/`) ? path.slice(base.length) : ''
  }

  const answer = async (request: HttpRequest, target: Target): Promise<Reply> => {
    const { query } = target
    const inside = insideOf(request, target)
    const matched = router.match(request.method, inside)
    if (!matched) {
      const methods = router.at(inside).map(({ method }) => method)
      const code = methods.length > 0 ? 'method_not_allowed' : 'not_found'
      const headers: Reply['headers'] = methods.length > 0 ? { allow: methods.join(', ') } : {}
      return { answer: err(refusal(code)), headers }
    }
    const { route, params } = matched
    if (route.guarded && !(await isAuthorized(request, authorize))) {
      return { answer: err(refusal('unauthorized')), headers: { 'www-authenticate': 'Bearer' } }
    }
    const said = route.method === 'POST' ? readBody(request, query, {}) : readQuery(query, {})
    if (said.input.isErr()) return { answer: err(misread(said.input.error)) }
    return { answer: await route.run(engine, { body: said.input.value, params }) }
  }

  return toFetchHandler(async (request) => {
    const request_id = `req_${engine.ids.secret(24)}`
    const target = parseTarget(request.target)
    try {
      return respond(request_id, await answer(request, target))
    } catch (fault) {
      const stack = fault instanceof Error ? fault.stack : String(fault)
      const { method } = request
      // Logs the route, not the path: somebody may have put a secret where an id belongs.
      const route = router.match(method, insideOf(request, target))?.route.path ?? null
      engine.logger.error('a back-office request failed', { request_id, method, route, fault: stack })
      return respond(request_id, { answer: err(refusal('internal_server_error')) })
    }
  }, options)
}

async function isAuthorized(
  { headers: { authorization } }: HttpRequest,
  authorize: BackOfficeOptions['authorize'],
): Promise<boolean> {
  const header = Array.isArray(authorization) ? authorization.join(', ') : authorization
  const token = /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1]
  return token !== undefined && (await authorize(token)) === true
}

/** `validation_error` for a fault in one field, `bad_request` for a body that cannot be read. */
function misread({ param, message }: { param?: string; message: string }): BackOfficeError {
  if (param === undefined) return refusal('bad_request', message)
  return refusal('validation_error', undefined, [{ path: param, message }])
}

function unknownField(path: string): BackOfficeError {
  return refusal('validation_error', undefined, [{ path, message: 'Unknown field' }])
}

function respond(request_id: string, { answer, headers = {} }: Reply): HttpResponse {
  const envelope = answer.match(
    (data) => ({ data, code: 'health_status_ok' as const, message: backOfficeCatalogue.health_status_ok[1] }),
    ({ code, message, data }) => ({ code, message, data }),
  )
  const code: BackOfficeCode = envelope.code
  return {
    status: backOfficeCatalogue[code][0],
    headers: {
      'request-id': request_id,
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
    body: JSON.stringify(envelope),
  }
}
