import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { freePort } from '../../../tests/free-port.ts'
import type { LedgerConnection } from '../../core/src/index.ts'
import { describeConnector } from '../../testing/src/describe-connector.ts'
import { ledgerConnector } from '../src/ledger-connector.ts'
import { type LedgerServer, openLedger, site_id, status, token } from './ledger-server.ts'

describeConnector('the connector of a ledger with an HTTP API', async (content) => {
  const ledger = await openLedger(content)
  const { base_url } = ledger
  return {
    connector: ledgerConnector(),
    connection: { base_url, site_id, token },
    unknown: { base_url, site_id, token: 'another-token' },
    close: ledger.close,
  }
})

const customer = { reference: 'C-1', name: 'Ada', email: '', phone: '', created_date: '2026-01-01' }

describe('a ledger behind HTTP', () => {
  let ledger: LedgerServer
  beforeEach(async () => {
    ledger = await openLedger({ customers: [], invoices: [] })
  })
  afterEach(() => ledger.close())

  const ask = (options = {}, change: Partial<LedgerConnection> = {}) =>
    ledgerConnector(options).customers({
      connection: { base_url: ledger.base_url, site_id, token, ...change },
      cursor: null,
      limit: 10,
      dates: null,
      ids: null,
    })

  it.each([408, 425, 429, 500, 502, 503, 504])('is unavailable with %i', async (code) => {
    ledger.answerNext(status(code))
    expect(await ask()).toEqual({ kind: 'unavailable', reason: `http ${code}`, retry_after_s: null })
  })

  it.each([204, 301, 302, 307, 308, 400, 401, 403, 404, 410, 422])('refuses with %i', async (code) => {
    ledger.answerNext(status(code, { location: ledger.base_url }))
    expect(await ask()).toEqual({ kind: 'refused', reason: `http ${code}` })
    expect(ledger.asked).toHaveLength(1)
  })

  it.each([
    ['7', 7],
    ['0', 0],
    ['soon', null],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ])('says how long to wait: Retry-After %s', async (header, retry_after_s) => {
    ledger.answerNext(status(429, { 'retry-after': header }))
    expect(await ask()).toMatchObject({ kind: 'unavailable', retry_after_s })
  })

  it('says how long to wait until the date of a Retry-After', async () => {
    ledger.answerNext(status(429, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }))
    const { retry_after_s } = (await ask()) as { retry_after_s: number }
    expect(Math.ceil(retry_after_s / 60)).toBe(60)
  })

  it('is unavailable when it does not answer in time', async () => {
    ledger.answerNext(() => undefined)
    expect(await ask({ timeoutMs: 50 })).toEqual({
      kind: 'unavailable',
      reason: 'timeout',
      retry_after_s: null,
    })
  })

  it.each([1500.5, 3e9, Number.POSITIVE_INFINITY])('is asked with a timeout of %d ms', async (timeoutMs) => {
    expect(await ask({ timeoutMs })).toMatchObject({ kind: 'page' })
  })

  it('is unavailable when its answer is cut off in the middle', async () => {
    ledger.answerNext((_req, res) => {
      res.writeHead(200, { 'content-length': '1000' })
      res.write('{"data":[', () => res.destroy())
    })
    expect(await ask()).toMatchObject({ kind: 'unavailable', reason: 'no connection' })
  })

  it('is asked at its address without the spaces around it', async () => {
    expect(await ask({}, { base_url: ` ${ledger.base_url}/ ` })).toMatchObject({ kind: 'page' })
  })

  it.each(['two\nlines', '日本'])('is not asked with a token that no header can carry: %j', async (token) => {
    expect(await ask({}, { token })).toEqual({
      kind: 'refused',
      reason: 'the token has characters that no header can carry',
    })
  })

  it('is unavailable when nobody listens', async () => {
    const base_url = `http://127.0.0.1:${await freePort()}`
    expect(await ask({}, { base_url })).toMatchObject({ kind: 'unavailable' })
  })

  it.each([
    ['not JSON', 'the answer is no JSON object'],
    ['null', 'the answer is no JSON object'],
    ['{}', 'the answer has no list `data`'],
    ['{"data":{}}', 'the answer has no list `data`'],
    ['{"data":[],"next_cursor":7}', '`next_cursor` is no text'],
    [JSON.stringify({ data: [], next_cursor: 'x'.repeat(1_001) }), '`next_cursor` is no text'],
    [JSON.stringify({ data: Array.from({ length: 11 }, () => ({})) }), 'the page is longer than asked for'],
    [`{"data":["${'x'.repeat(9_000_000)}"]}`, 'the answer is too long'],
  ])('refuses an answer that is no page: %.40s', async (body, reason) => {
    ledger.answerNext((_req, res) => void res.end(body))
    expect(await ask()).toEqual({ kind: 'refused', reason })
  })

  it('is read with a byte order mark, which some servers send', async () => {
    ledger.answerNext((_req, res) => void res.end('\uFEFF{"data":[]}'))
    expect(await ask()).toEqual({ kind: 'page', data: [], records: [], rejected: [], cursor: null })
  })

  it('refuses an answer in another encoding, in which two references would look like one', async () => {
    const [first, second] = ['Ä1', 'Ö1'].map((reference) => ({ ...customer, reference }))
    const body = Buffer.from(JSON.stringify({ data: [first, second] }), 'latin1')
    ledger.answerNext((_req, res) => void res.end(body))
    expect(await ask()).toEqual({ kind: 'refused', reason: 'the answer is not UTF-8' })
  })

  it.each([
    { site_id: '..' },
    { site_id: '' },
    { base_url: 'ftp://ledger.example' },
    { base_url: 'no address' },
    { base_url: 'http://user:password@127.0.0.1' },
    { base_url: 'http://127.0.0.1/api?key=1' },
    { base_url: 'http://127.0.0.1/api#part' },
  ])('refuses an address that leads elsewhere: %o', async (change) => {
    expect(await ask({}, change)).toEqual({
      kind: 'refused',
      reason: 'the address of the ledger is not usable',
    })
    expect(ledger.asked).toEqual([])
  })

  it.each([
    ['many', '', [50, 50, 20]],
    ['many long', '客'.repeat(95), [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 1]],
  ])(
    'asks for %s ids in several requests, whose addresses every server takes',
    async (_what, rest, counts) => {
      const ids = Array.from({ length: 120 }, (_, index) => `C-${index}${rest}`)
      const connection = { base_url: ledger.base_url, site_id, token }
      let cursor: string | null = null
      const connector = ledgerConnector()
      do {
        const page = await connector.customers({ connection, cursor, limit: 10, dates: null, ids })
        if (page.kind !== 'page') throw new Error(page.reason)
        cursor = page.cursor
      } while (cursor !== null)
      const asked = ledger.asked.map((url) => new URL(url, 'http://ledger').searchParams.getAll('ids'))
      expect(asked.map((some) => some.length)).toEqual(counts)
      expect(asked.flat()).toEqual(ids)
      for (const url of ledger.asked) expect(url.length).toBeLessThan(8 * 1024)
    },
  )
})
