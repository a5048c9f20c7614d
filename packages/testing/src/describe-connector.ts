import type {
  Connector,
  LedgerAnswer,
  LedgerConnection,
  LedgerCustomer,
  LedgerInvoice,
} from '@quittance/core'
import { describe, expect, it } from 'vitest'

/** What a ledger holds. The lists may contain invalid records, as in real ledgers. */
export interface LedgerContent {
  customers: object[]
  invoices: object[]
}

export interface OpenedLedger {
  connector: Connector
  connection: LedgerConnection
  /** A connection that this ledger does not know. */
  unknown: LedgerConnection
  close(): PromiseLike<void>
}

type Check = (sentence: string, run: (ledger: OpenedLedger) => Promise<void>, content?: LedgerContent) => void

/** The contract of the `Connector` port, sentence by sentence. `open` makes a ledger with the given content. */
export function describeConnector(
  name: string,
  open: (content: LedgerContent) => PromiseLike<OpenedLedger>,
): void {
  describe(`${name} keeps the contract of a connector`, () => {
    const check: Check = (sentence, run, content = ledger) =>
      it(sentence, async () => {
        const opened = await open(content)
        try {
          await run(opened)
        } finally {
          await opened.close()
        }
      })
    describePages(check)
    describeFilters(check)
    describeRefusals(check)
  })
}

function describePages(check: Check): void {
  for (const limit of [1, 7, 100]) {
    check(`gives every record once, in pages of at most ${limit}`, async (opened) => {
      const given = await readAll(opened, { limit })
      expect(given.customers.toSorted(byReference)).toEqual(ledger.customers.toSorted(byReference))
      expect(given.invoices.toSorted(byExternalId)).toEqual(ledger.invoices.toSorted(byExternalId))
    })
  }
  check('gives the same page for the same request', async ({ connector, connection }) => {
    const request = { connection, cursor: null, limit: 5, dates: null, ids: null }
    const customers = (cursor: string | null) => connector.customers({ ...request, cursor })
    const invoices = (cursor: string | null) => connector.invoices({ ...request, cursor, status: 'any' })
    for (const ask of [customers, invoices]) {
      const first = pageOf<object>(await ask(null))
      expect(pageOf<object>(await ask(null))).toEqual(first)
      expect(await ask(first.cursor)).toEqual(pageOf<object>(await ask(first.cursor)))
    }
  })
  check(
    'gives one page without records of a ledger that has none',
    async (opened) => {
      expect(await readAll(opened, { limit: 10 })).toEqual({ customers: [], invoices: [] })
    },
    { customers: [], invoices: [] },
  )
}

function describeFilters(check: Check): void {
  check('gives records of the days of a range, both ends included', async (opened) => {
    const dates = { from: '2026-01-05', to: '2026-01-08' }
    const { customers, invoices } = await readAll(opened, { limit: 2, dates })
    const within = (date: string) => dates.from <= date && date <= dates.to
    expect(customers.map((one) => one.reference).toSorted()).toEqual(
      ledger.customers.filter((one) => within(one.created_date)).map((one) => one.reference),
    )
    expect(invoices.map((one) => one.external_id).toSorted()).toEqual(
      ledger.invoices.filter((one) => within(one.invoice_date)).map((one) => one.external_id),
    )
  })
  check('gives the records that are named, and nothing for an id it does not know', async (opened) => {
    const customers = await readAll(opened, { limit: 1, ids: ['C-02', 'nobody', 'C-11'] })
    expect(customers.customers.map((one) => one.reference).toSorted()).toEqual(['C-02', 'C-11'])
    const invoices = await readAll(opened, { limit: 1, ids: ['I-03', 'I-30', 'nothing'] })
    expect(invoices.invoices.map((one) => one.external_id).toSorted()).toEqual(['I-03', 'I-30'])
    expect(await readAll(opened, { limit: 1, ids: ['nothing'] })).toEqual({ customers: [], invoices: [] })
  })
  check('gives a thousand named records', async (opened) => {
    // The ones that the ledger has come last.
    const ids = Array.from({ length: 1000 }, (_, index) => `I-${two(index)}`).reverse()
    expect((await readAll(opened, { limit: 100, ids })).invoices).toHaveLength(ledger.invoices.length)
  })
  check('gives only what fits all that is asked for together', async (opened) => {
    const ids = ['I-03', 'I-04', 'I-05', 'I-06', 'I-27']
    const dates = { from: '2026-01-05', to: '2026-01-28' }
    const { invoices } = await readAll(opened, { limit: 1, ids, dates, status: 'open' })
    expect(invoices.map((one) => one.external_id).toSorted()).toEqual(['I-06', 'I-27'])
    const { customers } = await readAll(opened, { limit: 1, ids: ['C-03', 'C-04'], dates })
    expect(customers.map((one) => one.reference)).toEqual(['C-04'])
  })
  check('gives open invoices only, where only those are asked for', async (opened) => {
    const { invoices } = await readAll(opened, { limit: 3, status: 'open' })
    expect(invoices.map((one) => one.external_id).toSorted()).toEqual(
      ledger.invoices.filter((one) => one.status === 'open').map((one) => one.external_id),
    )
  })
}

function describeRefusals(check: Check): void {
  check(
    'rejects what is no record, names it and its fault, and gives the others',
    async ({ connector, connection }) => {
      const request = { connection, cursor: null, limit: 100, dates: null, ids: null }
      const customers = pageOf(await connector.customers(request))
      expect(customers.records.map((one) => one.reference)).toEqual(['C-00'])
      expect(customers.rejected).toMatchObject([
        { id: 'C-BAD', reason: expect.stringMatching(/^created_date: /) },
      ])
      const invoices = pageOf(await connector.invoices({ ...request, status: 'any' }))
      expect(invoices.records.map((one) => one.external_id)).toEqual(['I-00'])
      expect(invoices.rejected).toMatchObject([{ id: 'I-BAD', reason: expect.stringMatching(/^total: /) }])
      expect(JSON.stringify([customers.rejected, invoices.rejected])).not.toContain('secret value')
    },
    {
      customers: [customer(0), { ...customer(1), reference: 'C-BAD', created_date: 'secret value' }],
      invoices: [invoice(0), { ...invoice(1), external_id: 'I-BAD', total: 'secret value' }],
    },
  )
  check(
    'goes on after a page on which something was rejected',
    async (opened) => {
      // In pages of one, a page may hold nothing else.
      for (const limit of [1, 2]) {
        const { customers, invoices } = await readAll(opened, { limit }, 'rejected')
        expect(customers.map((one) => one.reference).toSorted()).toEqual(['C-00', 'C-02', 'C-03'])
        expect(invoices.map((one) => one.external_id).toSorted()).toEqual(['I-00', 'I-02', 'I-03'])
      }
    },
    {
      customers: [customer(0), { ...customer(1), created_date: 'never' }, customer(2), customer(3)],
      invoices: [invoice(0), { ...invoice(1), total: 'much' }, invoice(2), invoice(3)],
    },
  )
  check('refuses a connection that the ledger does not know, without its token', async (opened) => {
    const { connector, unknown: connection } = opened
    const request = { connection, cursor: null, limit: 10, dates: null, ids: null }
    // What somebody else was answered to the same request is not for it.
    const known = { ...request, connection: opened.connection }
    pageOf(await connector.customers(known))
    pageOf(await connector.invoices({ ...known, status: 'any' }))
    for (const answer of [
      await connector.customers(request),
      await connector.invoices({ ...request, status: 'any' }),
    ]) {
      expect(answer.kind).toBe('refused')
      expect(JSON.stringify(answer)).not.toContain(connection.token)
    }
  })
}

interface Wanted {
  limit: number
  dates?: { from: string; to: string }
  ids?: readonly string[]
  status?: 'open' | 'any'
}

/** All matching records, following the cursors. Unless it says otherwise, none may be rejected. */
async function readAll({ connector, connection }: OpenedLedger, wanted: Wanted, may_be?: 'rejected') {
  const { limit, dates = null, ids = null, status = 'any' } = wanted
  const request = { connection, limit, dates, ids }
  const look = (page: { rejected: object[]; cursor: string | null }) => {
    if (may_be === undefined) expect(page.rejected).toEqual([])
    expect(page.cursor ?? '').toSatisfy((text: string) => text.isWellFormed() && !text.includes('\0'))
    if (connection.token !== '') expect(page.cursor ?? '').not.toContain(connection.token)
  }
  const customers = await follow(limit, look, (cursor) => connector.customers({ ...request, cursor }))
  const invoices = await follow(limit, look, (cursor) => connector.invoices({ ...request, cursor, status }))
  return { customers, invoices }
}

async function follow<Kept>(
  limit: number,
  look: (page: Extract<LedgerAnswer<Kept>, { kind: 'page' }>) => void,
  ask: (cursor: string | null) => PromiseLike<LedgerAnswer<Kept>>,
): Promise<Kept[]> {
  const records: Kept[] = []
  let cursor: string | null = null
  for (let pages = 0; pages < 200; pages += 1) {
    const page: Extract<LedgerAnswer<Kept>, { kind: 'page' }> = pageOf(await ask(cursor))
    expect(page.records.length).toBeLessThanOrEqual(limit)
    look(page)
    records.push(...page.records)
    if (page.cursor === null) return records
    expect(page.cursor).not.toBe(cursor)
    cursor = page.cursor
  }
  throw new Error('the pages do not end')
}

function pageOf<Kept>(answer: LedgerAnswer<Kept>): Extract<LedgerAnswer<Kept>, { kind: 'page' }> {
  if (answer.kind !== 'page') throw new Error(`no page: ${answer.reason}`)
  return answer
}

const two = (index: number) => String(index).padStart(2, '0')

function customer(index: number): LedgerCustomer {
  return {
    reference: `C-${two(index)}`,
    name: `Müller, "Søn" & Co ${index}`,
    email: `Billing-${index}@example.com`,
    phone: index % 2 === 0 ? '' : '+1 555 0100',
    created_date: `2026-01-${two(1 + index)}`,
  }
}

function invoice(index: number): LedgerInvoice {
  const status = (['open', 'paid', 'canceled'] as const)[index % 3] ?? 'open'
  return {
    external_id: `I-${two(index)}`,
    number: index % 4 === 0 ? null : `2026-${index}`,
    customer: `C-${two(index % 12)}`,
    status,
    currency: index % 5 === 0 ? 'CAD' : 'USD',
    total: 1_000 + index,
    amount_paid: status === 'paid' ? 1_000 + index : 0,
    invoice_date: `2026-01-${two(1 + (index % 28))}`,
    due_date: '2026-03-01',
  }
}

const ledger = {
  customers: Array.from({ length: 12 }, (_, index) => customer(index)),
  invoices: Array.from({ length: 31 }, (_, index) => invoice(index)),
}

function byReference(a: LedgerCustomer, b: LedgerCustomer): number {
  return a.reference < b.reference ? -1 : 1
}

function byExternalId(a: LedgerInvoice, b: LedgerInvoice): number {
  return a.external_id < b.external_id ? -1 : 1
}
