import { type Caller, fail } from '@quittance/core'
import { type AnyRoute, type Exchange, header, refuse, send } from './exchange.ts'
import type { HttpResponse } from './message.ts'
import { fingerprintOf, readBody, readQuery, type Said } from './read-input.ts'
import type { Matched } from './router.ts'
import type { Route } from './routes.ts'
import type { TestHelperRoute } from './test-helper-routes.ts'

/** For a request that passed the transport's checks: reads its input, and has the engine or a test helper answer. */
export async function runRoute(
  exchange: Exchange & { matched: Matched<AnyRoute> },
  caller: Caller,
): Promise<HttpResponse> {
  const { request, query } = exchange
  const { route, params } = exchange.matched
  const said = route.method === 'GET' ? readQuery(query, params) : readBody(request, query, params)
  if ('help' in route) return runTestHelper(exchange, caller, { route, said })
  return runOperation(exchange, caller, { route, said })
}

async function runOperation(
  exchange: Exchange,
  caller: Caller,
  { route, said }: { route: Route; said: Said },
): Promise<HttpResponse> {
  const { surface, request, request_id, inside } = exchange
  const idempotency_key = route.method === 'POST' ? header(request, 'idempotency-key') : undefined
  const answer = await surface.engine.execute({
    operation: route.operation,
    caller,
    input: said.input,
    request_id,
    idempotency_key,
    fingerprint: idempotency_key === undefined ? '' : fingerprintOf(request.method, inside, said),
  })
  return send(exchange, answer, caller)
}

async function runTestHelper(
  exchange: Exchange,
  caller: Caller,
  { route, said }: { route: TestHelperRoute; said: Said },
): Promise<HttpResponse> {
  const answer = said.input.isOk()
    ? await route.help(caller, said.input.value)
    : fail('parameter_invalid', said.input.error)
  return answer.match(
    (value) =>
      send(exchange, { status: 200, body: JSON.stringify(value), replayed: false, code: null }, caller),
    (error) => refuse(exchange, error, caller),
  )
}

/**
 * Answers a fault with `500`; a caller that is known may be a browser, which needs CORS headers to read it. Logs the
 * route, not the path: somebody may have put a secret where an id belongs.
 */
export async function guard(
  exchange: Exchange,
  caller: Caller | null,
  work: () => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const { surface, request, request_id, matched } = exchange
  try {
    return await work()
  } catch (fault) {
    const stack = fault instanceof Error ? fault.stack : String(fault)
    surface.engine.logger.error('a request failed', {
      request_id,
      method: request.method,
      route: matched?.route.path ?? null,
      fault: stack,
    })
    return refuse(exchange, fail('internal_error').error, caller)
  }
}
