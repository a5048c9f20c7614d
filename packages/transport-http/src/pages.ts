import { stackOf } from '@quittance/core'
import type { Surface } from './exchange.ts'
import { escapedFault, type HttpHandler, type HttpRequest, type HttpResponse } from './message.ts'
import { originForm } from './query.ts'
import type { TakeOne } from './rate-limit.ts'

/**
 * Pages for payers. Answers a request for one of them; for any other request returns null at once. A page calls
 * `takeTurn` before it tries a card, and gets null, or the whole seconds to wait.
 */
export type Pages = (request: HttpRequest, takeTurn: TakeOne) => Promise<HttpResponse> | null

export interface PagesOption {
  /** Hosted pages, which need no API key. They are below the engine's `publicUrl`, whatever the base path. */
  pages?: Pages | undefined
}

/** The API with the pages in front. Trying cards on a page is limited like confirming a session. */
export function withPages(
  api: HttpHandler,
  { pages }: PagesOption,
  { engine, limits }: Pick<Surface, 'engine' | 'limits'>,
): HttpHandler {
  if (pages === undefined) return api
  if (typeof pages !== 'function') throw new TypeError('`pages` is what `hostedPages(engine)` gives.')
  return async (request) => {
    if ('fault' in request) return api(request)
    try {
      const page = await pages({ ...request, target: originForm(request.target) }, limits.confirm)
      // Pages of a host's own, in JavaScript, may return undefined.
      if (page != null) return page
    } catch (fault) {
      engine.logger.error('pages failed', { fault: stackOf(fault) })
      return escapedFault
    }
    return api(request)
  }
}
