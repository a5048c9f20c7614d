import { err, ok, type Result } from '@quittance/core'

export interface QueryRefused {
  /** The parameter at fault, if its name could be read. */
  param?: string
  message: string
}

export interface Target {
  /** Percent-encoded as sent. Split it first, then `decodeSegment` each segment. */
  path: string
  query: Result<Record<string, string>, QueryRefused>
  /** What could be read of the query: the parameters that were sent once. */
  readable: Record<string, string>
}

/** Splits a request target. An unreadable query is a value, because it is refused only after the key and path. */
export function parseTarget(target: string): Target {
  const origin_form = originForm(target)
  const mark = origin_form.indexOf('?')
  if (mark === -1) {
    const readable = emptyQuery()
    return { path: origin_form, query: ok(readable), readable }
  }
  return { path: origin_form.slice(0, mark), ...parseQuery(origin_form.slice(mark + 1)) }
}

/** What follows a base path; empty for a path elsewhere. */
export function pathBelow(base_path: string, path: string): string {
  return path.startsWith(`${base_path}/`) ? path.slice(base_path.length) : ''
}

/** One segment of a path, or null if it cannot be decoded. `+` stays `+`: it means a space only in a query. */
export function decodeSegment(segment: string): string | null {
  // Node decodes raw bytes above 0x7F as Latin-1, which would be wrong.
  if (/[^\x21-\x7e]/.test(segment)) return null
  if (!segment.includes('%')) return segment
  try {
    const decoded = decodeURIComponent(segment)
    return decoded.includes('\0') ? null : decoded
  } catch {
    return null
  }
}

/** Turns `https://host/path?query#fragment`, which a proxy and `Request` may both send, into `/path?query`. */
export function originForm(target: string): string {
  const [without_fragment = ''] = target.split('#', 1)
  if (without_fragment.startsWith('/')) return without_fragment
  const rest = without_fragment.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '')
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest
}

function parseQuery(text: string): Pick<Target, 'query' | 'readable'> {
  const readable = emptyQuery()
  const names = new Set<string>()
  const faults: QueryRefused[] = []
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decodeSegment((equals === -1 ? pair : pair.slice(0, equals)).replaceAll('+', '%20'))
    const value = decodeSegment(equals === -1 ? '' : pair.slice(equals + 1).replaceAll('+', '%20'))
    if (name === null)
      faults.push({ message: 'The name of a query parameter is not valid percent-encoded UTF-8.' })
    else if (name === '') faults.push({ message: 'A query parameter has no name.' })
    else if (names.has(name)) {
      faults.push({ param: name, message: 'This query parameter may be sent only once.' })
      delete readable[name]
    } else if (value === null)
      faults.push({ param: name, message: 'This query parameter is not valid percent-encoded UTF-8.' })
    else readable[name] = value
    if (name !== null) names.add(name)
  }
  const [first] = faults
  return { query: first === undefined ? ok(readable) : err(first), readable }
}

/** Without a prototype, so that `?__proto__=x` is one more unknown parameter. */
const emptyQuery = (): Record<string, string> => Object.create(null)
