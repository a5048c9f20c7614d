import type { IncomingMessage } from 'node:http'
import type { HttpRequest } from './message.ts'

/** Of these Node keeps the first value in `headers` and drops the others. */
const kept_once = new Set(['authorization', 'content-type', 'user-agent'])

/**
 * The headers of a Node request with every value of those that come twice, joined with `, ` as a `Request` has them: a
 * request with two keys is refused, and not taken for one of whoever comes first.
 */
export function joinedHeaders({ headers, rawHeaders }: IncomingMessage): HttpRequest['headers'] {
  let joined = headers
  const seen = new Map<string, string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    if (!kept_once.has(name)) continue
    const value = rawHeaders[at + 1] ?? ''
    const earlier = seen.get(name)
    seen.set(name, earlier === undefined ? value : `${earlier}, ${value}`)
    if (earlier !== undefined) joined = { ...joined, [name]: seen.get(name) }
  }
  return joined
}
