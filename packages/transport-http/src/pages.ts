import type { HttpHandler, HttpRequest, HttpResponse } from './message.ts'
import type { RateLimits, TakeOne } from './rate-limit.ts'

/**
 * Pages for payers: answers a request for one of them, and null, at once, any other request. A page asks
 * `takeTurn` before it tries a card: it answers null, or the whole seconds to wait.
 */
export type Pages = (request: HttpRequest, takeTurn: TakeOne) => Promise<HttpResponse> | null

export interface PagesOption {
  /** Hosted pages, beside the API and without an API key: they are where the engine's `publicUrl` says, whatever the base path. */
  pages?: Pages
}

/** The API with the pages before it. Cards are tried on a page as often as on a session. */
export function withPages(api: HttpHandler, { pages }: PagesOption, { confirm }: RateLimits): HttpHandler {
  return pages === undefined ? api : (request) => pages(request, confirm) ?? api(request)
}
