import { type Caller, fail } from '@quittance/core'
import { isBrowserRoute } from './browser.ts'
import { type Exchange, guard, header, refusal, responseOf } from './exchange.ts'
import type { HttpResponse } from './message.ts'
import { bodyParameters, fingerprintOf, queryParameters } from './read-input.ts'
import type { Matched } from './router.ts'
import type { AnyRoute } from './test-helper-routes.ts'

/**
 * The checks of a request, in their order: its key, the environment and kind of the key, whether its workspace has the API
 * enabled, the client secret of a browser, the rate limit, the path. The engine makes the rest, scope first (`execute.ts`).
 */
export async function check(exchange: Exchange): Promise<HttpResponse> {
  const { surface, request } = exchange
  const known = await surface.engine.authenticate(header(request, 'authorization'), {
    ip_address: request.remote_address,
    user_agent: header(request, 'user-agent') ?? null,
  })
  if (known.isErr()) return refusal(exchange, known)
  const called = { ...exchange, ...known.value }
  return guard(called, () => checkCaller(called))
}

/** A request whose key is known. */
type Called = Exchange & { caller: Caller; key_id: string }

async function checkCaller(called: Called): Promise<HttpResponse> {
  const { caller, matched } = called
  const refused = refusedKey(called) ?? (caller.key === 'publishable' ? await refusedSecret(called) : null)
  if (refused) return refusal(called, refused)
  const wait_s = await takeTurn(called)
  if (wait_s !== null) return refusal(called, fail('rate_limit_exceeded'), wait_s)
  if (!matched) return refusal(called, missingRoute(called))
  return runRoute({ ...called, matched })
}

function missingRoute({ surface, inside }: Called) {
  const isPath = surface.router.at(inside).length > 0
  return fail('resource_missing', {
    message: isPath ? 'This path does not take this method.' : 'There is no such path.',
  })
}

/** Refuses a key that does not fit the mount or the endpoint, or whose workspace has the API disabled. Null: it passes. */
function refusedKey({ surface, matched, caller }: Called) {
  if (surface.livemode !== null && caller.livemode !== surface.livemode)
    return fail('api_key_environment_mismatch')
  const browser = matched !== null && isBrowserRoute(matched.route)
  if (caller.key === 'publishable' && !browser) return fail('publishable_key_not_allowed')
  if (!caller.workspace.api_enabled) return fail('developer_integrations_disabled')
  return null
}

/** A publishable key opens one session, with that session's client secret. Null: it opens this one. */
async function refusedSecret({ surface, matched, readable, caller }: Called) {
  const id = matched?.params.id ?? ''
  const other = caller.livemode ? 'pms_test_' : 'pms_live_'
  if (id.startsWith(other)) return fail('api_key_environment_mismatch')
  const { client_secret } = readable
  if (!client_secret) return fail('client_secret_missing')
  const session = await surface.engine.payment_method_sessions.retrieve(caller, { id })
  if (session.isErr()) return fail(session.error.code)
  return surface.engine.isClientSecret(id, client_secret) ? null : fail('invalid_client_secret')
}

/** Confirms are limited per session, to slow card testing; everything else per key. */
function takeTurn({ surface: { limits }, matched, caller, key_id }: Called) {
  const environment = caller.livemode ? limits.live : limits.sandbox
  if (caller.key === 'secret') return environment(key_id)
  const session = matched?.params.id ?? ''
  return matched?.route.method === 'POST' ? limits.confirm(session) : environment(`${key_id} ${session}`)
}

/** Reads the input of a request that passed the transport's checks, and has the engine answer it. */
async function runRoute(called: Called & { matched: Matched<AnyRoute> }): Promise<HttpResponse> {
  const { surface, request, request_id, inside, caller } = called
  const { route, params } = called.matched
  const query =
    caller.key === 'publishable' ? called.query.map(({ client_secret: _, ...rest }) => rest) : called.query
  const parameters =
    route.method === 'GET' ? queryParameters(query, params) : bodyParameters(request, query, params)
  const idempotency_key = route.method === 'POST' ? header(request, 'idempotency-key') : undefined
  const answer = await surface.engine.execute({
    operation: 'helper' in route ? route.helper : route.operation,
    caller,
    input: parameters.input,
    request_id,
    idempotency_key,
    fingerprint: idempotency_key === undefined ? '' : fingerprintOf(request.method, inside, parameters),
  })
  return responseOf(called, answer)
}
