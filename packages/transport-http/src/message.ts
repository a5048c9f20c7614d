/** Why there is no body to parse, as a message for the API's client: too large, or read before it got here. */
export interface BodyRefused {
  refused: string
}

/**
 * One request as a plain object, the same from every framework.
 *
 * `method` is never `HEAD`: the adapters pass `GET` and leave the body out of the response.
 * `target` is path and `?query` as sent, still percent-encoded, including the prefix the API is mounted under; also with its
 * scheme and host before it, as a client of a proxy sends it.
 * A refused body is a value, because the refusal is answered only after the checks of key and path.
 */
export interface HttpRequest {
  method: string
  target: string
  /** The framework's prefix, if it is known only per request. The handler's base path is relative to it. */
  mount?: string
  /** Names in lower case. Repeated headers are joined with `, `, as `joinedHeaders` does with Node's. */
  headers: Record<string, string | string[] | undefined>
  body: Uint8Array | BodyRefused
  remote_address: string | null
  /** What was thrown while looking for the client's address. The handler answers 500, and logs it. */
  fault?: unknown
}

/** One response. The adapters add `content-length`; the handler must not. */
export interface HttpResponse {
  status: number
  headers: Record<string, string>
  body: Uint8Array | string
}

/** Must catch and log its own faults: adapters answer one that escapes with `escapedFault`, and do not log it. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>

export const escapedFault: HttpResponse = {
  status: 500,
  headers: { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
  body: '',
}

/** The client's address as the host finds it, or why it could not. */
export function addressFrom(
  find: () => string | null | undefined,
): Pick<HttpRequest, 'remote_address' | 'fault'> {
  try {
    const found: unknown = find() ?? null
    if (found === null || typeof found === 'string') return { remote_address: found }
    // A promise may still reject, which would end the process.
    Promise.resolve(found).catch(() => {})
    throw new TypeError('`remoteAddress` gives a text or null.')
  } catch (fault) {
    return { remote_address: null, fault }
  }
}

export const isRefused = (body: Uint8Array | BodyRefused): body is BodyRefused => 'refused' in body

/** `204` and `304` have neither a body nor a `content-length` (RFC 9110, 8.6). */
export const isBodiless = (status: number) => status === 204 || status === 304
