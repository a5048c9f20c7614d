import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type LedgerRecord = Readonly<Record<string, unknown>>

export interface LedgerServer {
  base_url: string
  /** The requests so far, as path and query. */
  asked: string[]
  /** Answers the next request in place of the ledger; `null`: as always. */
  answerNext(...answers: (((req: IncomingMessage, res: ServerResponse) => void) | null)[]): void
  content: { customers: readonly object[]; invoices: readonly object[] }
  close(): Promise<void>
}

/** A ledger's HTTP API on a real socket: one site, one token, cursors that are offsets. */
export async function openLedger(content: LedgerServer['content']): Promise<LedgerServer> {
  const next: (((req: IncomingMessage, res: ServerResponse) => void) | null)[] = []
  const server = createServer((req, res) => {
    ledger.asked.push(req.url ?? '')
    const instead = next.shift()
    if (instead) instead(req, res)
    else answer(ledger.content, req, res)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const ledger: LedgerServer = {
    base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    asked: [],
    answerNext: (...answers) => void next.push(...answers),
    content,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return ledger
}

export const site_id = 'site 1/ä'
export const token = 'ledger-token'

/** An answer with this status, and nothing in it. */
export function status(code: number, headers: Record<string, string> = {}) {
  return (_req: IncomingMessage, res: ServerResponse) => {
    res.writeHead(code, headers).end('{}')
  }
}

function answer(content: LedgerServer['content'], req: IncomingMessage, res: ServerResponse): void {
  const { pathname, searchParams } = new URL(req.url ?? '/', 'http://ledger')
  const [, , sites, site, of] = pathname.split('/')
  const known = sites === 'sites' && decodeURIComponent(site ?? '') === site_id
  const refused = req.headers.authorization !== `Bearer ${token}` ? 401 : known ? null : 404
  if (refused !== null) {
    status(refused)(req, res)
    return
  }
  const customers = of === 'customers'
  const ids = searchParams.getAll('ids')
  const [from, to] = [searchParams.get('from') ?? '', searchParams.get('to') ?? '9999']
  const fits = (one: LedgerRecord) => {
    const [id, date] = customers ? [one.reference, one.created_date] : [one.external_id, one.invoice_date]
    const wanted = searchParams.get('status')
    return (
      (ids.length === 0 || ids.includes(String(id))) &&
      (searchParams.get('from') === null || (from <= String(date) && String(date) <= to)) &&
      (wanted === null || one.status === wanted)
    )
  }
  const all = (customers ? content.customers : content.invoices) as readonly LedgerRecord[]
  const fitting = all.filter(fits)
  const start = Number(searchParams.get('cursor') ?? 0)
  const end = start + Number(searchParams.get('limit'))
  const next_cursor = end < fitting.length ? String(end) : null
  res.writeHead(200, { 'content-type': 'application/json' })
  res.end(JSON.stringify({ data: fitting.slice(start, end), next_cursor }))
}
