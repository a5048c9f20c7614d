import { isError, type LedgerAnswer } from '@quittance/core'
import { decodeUtf8 } from './decode-utf8.ts'

/** A page of a hundred records takes some 30 KB: a response this long is no page. */
const answer_limit_bytes = 8 * 1024 * 1024

/** Past this, a timer of Node fires at once; and `AbortSignal.timeout` takes only whole numbers. */
const longest_timeout_ms = 2_147_483_647

/** Temporary failures (RFC 9110, RFC 6585), as is every 5xx. */
const passing = new Set([408, 425, 429])

interface Page {
  kind: 'page'
  data: unknown[]
  next_cursor: string | null
}

type Answer = Page | Exclude<LedgerAnswer<never>, { kind: 'page' }>

/** One request to a ledger, within one timeout. Errors never contain the address or the token. */
export async function ask({
  url,
  token,
  timeout_ms,
}: {
  url: URL
  token: string
  timeout_ms: number
}): Promise<Answer> {
  const headers = headersOf(token)
  if (headers === null)
    return { kind: 'refused', reason: 'the token has characters that no header can carry' }
  try {
    const response = await fetch(url, {
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(Math.min(Math.ceil(timeout_ms), longest_timeout_ms)),
    })
    if (response.status !== 200) {
      await response.body?.cancel()
      return failed(response)
    }
    const bytes = await readBytes(response)
    return bytes === null ? { kind: 'refused', reason: 'the answer is too long' } : read(bytes)
  } catch (fault) {
    const late = isError(fault) && fault.name === 'TimeoutError'
    return { kind: 'unavailable', reason: late ? 'timeout' : 'no connection', retry_after_s: null }
  }
}

function headersOf(token: string): Headers | null {
  try {
    return new Headers({ authorization: `Bearer ${token}`, accept: 'application/json' })
  } catch {
    return null
  }
}

function failed({ status, headers }: Response): Answer {
  const reason = `http ${status}`
  if (status < 500 && !passing.has(status)) return { kind: 'refused', reason }
  return { kind: 'unavailable', reason, retry_after_s: retryAfter(headers.get('retry-after')) }
}

/** `Retry-After`: seconds, or a date. */
function retryAfter(header: string | null): number | null {
  if (header === null) return null
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const at_ms = Date.parse(header)
  return Number.isNaN(at_ms) ? null : Math.max(0, Math.ceil((at_ms - Date.now()) / 1000))
}

/** Null if the body is too long: the rest is not read. */
async function readBytes({ body }: Response): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let size_bytes = 0
  for await (const chunk of body ?? []) {
    size_bytes += chunk.length
    if (size_bytes > answer_limit_bytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function read(bytes: Uint8Array): Answer {
  const text = decodeUtf8(bytes)
  if (text === null) return { kind: 'refused', reason: 'the answer is not UTF-8' }
  const parsed = parse(text)
  if (typeof parsed !== 'object' || parsed === null)
    return { kind: 'refused', reason: 'the answer is no JSON object' }
  const { data, next_cursor = null } = parsed as { data?: unknown; next_cursor?: unknown }
  if (!Array.isArray(data)) return { kind: 'refused', reason: 'the answer has no list `data`' }
  const readable = next_cursor === null || (typeof next_cursor === 'string' && next_cursor.length <= 1000)
  return readable
    ? { kind: 'page', data, next_cursor }
    : { kind: 'refused', reason: '`next_cursor` is no text' }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
