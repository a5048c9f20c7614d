import type { IncomingMessage } from 'node:http'
import type { HttpRequest } from './message.ts'

/** Of these, Node keeps the first value in `headers` and drops the others. Listed by length, for a cheap first comparison. */
const kept_once: Readonly<Record<number, string>> = {
  10: 'user-agent',
  12: 'content-type',
  13: 'authorization',
}

/** What a request of `node:http` and one of `node:http2` have in common. */
type NodeHeaders = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

/**
 * The headers of a Node request, with every value of those that come twice, joined with `, ` as a `Request` has them. So a
 * request with two keys is refused, and not served under the first.
 */
export function joinedHeaders({ headers, rawHeaders }: NodeHeaders): HttpRequest['headers'] {
  let joined: HttpRequest['headers'] = headers
  let seen = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const once = kept_once[name.length]
    if (once === undefined || name.toLowerCase() !== once) continue
    const bit = 1 << name.length
    if ((seen & bit) !== 0) joined = { ...joined, [once]: `${joined[once]}, ${rawHeaders[at + 1]}` }
    seen |= bit
  }
  return joined
}
