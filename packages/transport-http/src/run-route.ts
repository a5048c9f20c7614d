import { type Caller, fail } from '@quittance/core'
import { type AnyRoute, type Exchange, header, refuse, send } from './exchange.ts'
import type { HttpResponse } from './message.ts'
import { fingerprintOf, readBody, readQuery } from './read-input.ts'
import type { Matched } from './router.ts'

/** For a request that passed the transport's checks: reads its input, and has the engine answer. */
export async function runRoute(
  exchange: Exchange & { matched: Matched<AnyRoute> },
  caller: Caller,
): Promise<HttpResponse> {
  const { surface, request, request_id, query, inside } = exchange
  const { route, params } = exchange.matched
  const said = route.method === 'GET' ? readQuery(query, params) : readBody(request, query, params)
  const idempotency_key = route.method === 'POST' ? header(request, 'idempotency-key') : undefined
  const answer = await surface.engine.execute({
    operation: 'helper' in route ? route.helper : route.operation,
    caller,
    input: said.input,
    request_id,
    idempotency_key,
    fingerprint: idempotency_key === undefined ? '' : fingerprintOf(request.method, inside, said),
  })
  return send(exchange, answer, caller)
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
