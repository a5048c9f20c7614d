import {
  type Connector,
  type CustomerPageRequest,
  type InvoicePageRequest,
  ledgerCustomer,
  ledgerInvoice,
  option,
  readRecords,
  refuseWrongOptions,
} from '@quittance/core'
import { ask } from './ask.ts'

export interface LedgerConnectorOptions {
  /** For one request, from the connection to the last byte. Default 10 000. */
  timeoutMs?: number | undefined
}

/** The most ids in one request: they are in its URL, which many servers limit to 8 KiB, other parameters included. */
const ids_per_request = { count: 50, bytes: 6 * 1024 }

/**
 * Reads a ledger's HTTP API: `GET <base_url>/sites/<site_id>/customers` and `.../invoices`, with the token as
 * `Authorization: Bearer`, and `limit`, `cursor`, `from`, `to`, `status=open` and `ids` (repeated) as the query.
 * The ledger responds with `{ "data": [...], "next_cursor": string | null }`, with the fields of `LedgerCustomer` and
 * `LedgerInvoice`. Redirects are not followed: the token is for this address alone.
 */
export function ledgerConnector(options: LedgerConnectorOptions = {}): Connector {
  refuseWrongOptions('ledgerConnector', options, { timeoutMs: option.positive })
  const { timeoutMs: timeout_ms = 10_000 } = options
  return {
    async customers(request) {
      const page = await askPage({ request, timeout_ms, of: 'customers', query: {} })
      return page.kind === 'page' ? { ...page, ...readRecords(ledgerCustomer, page.data, 'reference') } : page
    },
    async invoices(request) {
      const query = request.status === 'open' ? { status: 'open' } : {}
      const page = await askPage({ request, timeout_ms, of: 'invoices', query })
      return page.kind === 'page'
        ? { ...page, ...readRecords(ledgerInvoice, page.data, 'external_id') }
        : page
    },
  }
}

interface Asking {
  request: CustomerPageRequest | InvoicePageRequest
  timeout_ms: number
  of: 'customers' | 'invoices'
  query: Record<string, string>
}

async function askPage({ request, timeout_ms, of, query }: Asking) {
  const { connection, limit, dates, ids } = request
  const { chunk, cursor } = placeOf(request)
  const url = addressOf(connection, of)
  if (url === null) return { kind: 'refused' as const, reason: 'the address of the ledger is not usable' }
  url.searchParams.set('limit', String(limit))
  if (cursor !== null) url.searchParams.set('cursor', cursor)
  if (dates !== null) url.searchParams.set('from', dates.from)
  if (dates !== null) url.searchParams.set('to', dates.to)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  const chunks = ids && chunksOf(ids)
  for (const id of chunks?.[chunk] ?? []) url.searchParams.append('ids', id)
  const answer = await ask({ url, token: connection.token, timeout_ms })
  if (answer.kind !== 'page') return answer
  const { data, next_cursor } = answer
  if (data.length > limit) return { kind: 'refused' as const, reason: 'the page is longer than asked for' }
  return { kind: 'page' as const, data, cursor: nextPlace(next_cursor, { chunks, chunk }) }
}

/** The ids of each request. In a URL one of 100 characters takes up to 905 bytes. */
function chunksOf(ids: readonly string[]): string[][] {
  const chunks: string[][] = []
  let left = { count: 0, bytes: 0 }
  for (const id of ids) {
    const bytes = new URLSearchParams({ ids: id }).toString().length + 1
    if (left.count === 0 || left.bytes < bytes) {
      chunks.push([])
      left = ids_per_request
    }
    chunks.at(-1)?.push(id)
    left = { count: left.count - 1, bytes: left.bytes - bytes }
  }
  return chunks
}

/** With ids, a cursor is `<index of the chunk>:<the ledger's cursor>`; without ids, it is the ledger's own. */
function placeOf({ ids, cursor }: Asking['request']): { chunk: number; cursor: string | null } {
  if (ids === null || cursor === null) return { chunk: 0, cursor }
  const colon = cursor.indexOf(':')
  return { chunk: Number(cursor.slice(0, colon)), cursor: cursor.slice(colon + 1) || null }
}

function nextPlace(
  next_cursor: string | null,
  { chunks, chunk }: { chunks: string[][] | null; chunk: number },
): string | null {
  if (chunks === null) return next_cursor
  if (next_cursor !== null) return `${chunk}:${next_cursor}`
  return chunk + 1 < chunks.length ? `${chunk + 1}:` : null
}

/** Null for an address that leads elsewhere, or that `fetch` would reject as if the server were unreachable. */
function addressOf({ base_url, site_id }: CustomerPageRequest['connection'], of: Asking['of']): URL | null {
  // A segment of dots would lead to another path of the ledger.
  if (/^\.*$/.test(site_id) || !URL.canParse(base_url)) return null
  const { protocol, username, password, search, hash, href } = new URL(base_url)
  if (!/^https?:$/.test(protocol) || username + password + search + hash !== '') return null
  return new URL(`${href.replace(/[/?#]+$/, '')}/sites/${encodeURIComponent(site_id)}/${of}`)
}
